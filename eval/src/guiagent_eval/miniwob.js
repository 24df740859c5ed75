// Injected into every MiniWoB++ page before its own scripts. Counts pending timers and frames, so that
// an episode never starts in a page in which something of the last one is still running.
(() => {
  const coming = new Set();
  const later = window.setTimeout.bind(window); // before they are wrapped
  const frames = window.requestAnimationFrame.bind(window);
  const follow = (begin, cancel, kind) => {
    const [begun, cancelled] = [window[begin], window[cancel]];
    window[begin] = function (work, ...rest) {
      const run = typeof work !== "function" ? work : function (...given) {
        if (kind !== "interval") coming.delete(kind + id);
        return work.apply(this, given);
      };
      const id = begun.call(window, run, ...rest);
      if (typeof work === "function") coming.add(kind + id);
      return id;
    };
    window[cancel] = function (id) {
      for (const one of kind === "frame" ? ["frame"] : ["timer", "interval"]) coming.delete(one + id); // as browsers do
      return cancelled.call(window, id);
    };
  };
  follow("setTimeout", "clearTimeout", "timer");
  follow("setInterval", "clearInterval", "interval");
  follow("requestAnimationFrame", "cancelAnimationFrame", "frame");
  const own = new Set(); // timers that the page itself keeps running from its load on
  const left = () => [...coming].filter((id) => !own.has(id));
  // The benchmark's own clock is a timer; intervals never end.
  const moving = () => left().filter((id) => !id.startsWith("interval")).length > 1;

  let running = 0; // number of the running episode; 0 if there is none
  const state = () => ({
    done: !!WOB_DONE_GLOBAL,
    raw: WOB_RAW_REWARD_GLOBAL,
    reward: WOB_REWARD_GLOBAL,
    reason: WOB_REWARD_REASON ? String(WOB_REWARD_REASON) : "",
  });
  // Reports the end of the episode, so that no question is needed; later events do not change the result.
  const tell = () => {
    const end = core.endEpisode;
    core.endEpisode = function (...given) {
      end.apply(this, given);
      if (running && WOB_DONE_GLOBAL && window.episodeEnded) window.episodeEnded(JSON.stringify([running, state()]));
      if (WOB_DONE_GLOBAL) running = 0;
    };
  };

  // How often a button was released in the corner, where the pointer is put before each episode.
  let arrived = 0;
  let known = 0;
  let ring = () => {};
  const cornered = (event) => {
    if (event.clientX !== window.innerWidth - 1 || event.clientY !== window.innerHeight - 1) return;
    arrived += 1;
    ring();
  };
  window.addEventListener("mouseup", cornered, { capture: true, passive: true });
  // A turn of the wheel moves the page only with one of the next frames.
  let wheeled = -Infinity;
  window.addEventListener("wheel", () => (wheeled = performance.now()), { capture: true, passive: true });
  const drawnTwice = () => new Promise((done) => frames(() => frames(() => later(done, 0))));
  const wait = (ms) => new Promise((done) => later(done, ms));

  const outOfTheWay = async () => {
    const there = new Promise((done) => (ring = () => arrived > known && done()));
    ring();
    await Promise.race([there, wait(1000)]);
    known = arrived;
    if (performance.now() - wheeled < 1000) await Promise.race([drawnTwice(), wait(200)]);
  };

  window[Symbol.for("gui_agent.miniwob")] = {
    // Once after loading. The agent gets the instruction as text, so its words are hidden on the page, but its
    // patches of colour are not. The reward display and the click canvas belong to the benchmark.
    prepare(slowness) {
      const style = document.createElement("style");
      style.textContent =
        "#reward-display,#click-canvas{display:none!important}" +
        "#query{visibility:hidden!important}#query :empty{visibility:visible!important}";
      document.head.appendChild(style);
      core.EPISODE_MAX_TIME *= slowness;
      core.cover_div.onclick = null; // a click on START would begin a problem other than the graded one
      for (const id of coming) own.add(id);
      tell();
      console.log = () => {}; // each line would pass through two more processes, and is never read
      return typeof genProblem === "function" && WOB_TASK_READY !== false;
    },
    // Begins an episode once the pointer is out of the way; null if the page must be loaded again first.
    async start(number, seed, mode, fresh) {
      await outOfTheWay();
      running = 0;
      core.endEpisode(0);
      if (!fresh && (left().length > 0 || document.getAnimations().length > 0)) return null;
      if (document.activeElement !== document.body) document.activeElement?.blur();
      for (const node of document.querySelectorAll("*")) {
        if (node.scrollTop || node.scrollLeft) node.scrollTo(0, 0);
        if (node.dataset.tampered) delete node.dataset.tampered; // the benchmark's own mark of touched elements
      }
      Math.seedrandom(seed);
      core.setDataMode(mode);
      core.startEpisodeReal();
      running = number;
      const said = core.getUtterance();
      return { text: typeof said === "string" ? said : said.utterance, moving: moving() };
    },
    // Resolves when the problem has been drawn: no timer and no frame is pending, or `cap` ms have passed.
    async drawn(cap) {
      const end = performance.now() + cap;
      while (moving() && performance.now() < end) await wait(10);
      return !moving();
    },
    grade: state,
  };
})();

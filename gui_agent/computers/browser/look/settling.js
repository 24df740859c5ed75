// Watches a document, its same-origin frames and its open shadow roots for changes, to detect when an action has had
// its effect. Ignores nodes that changed by themselves before the action (clocks, spinners) and
// nodes that go on changing for more than a second. Also waits for timers of at most `followed` ms that
// a page sets while it handles real input (such as the delay of a suggestion list), and for
// the frames and ticks of animations started then, as an animation often shows nothing at first.
(followed) => {
  const KEY = Symbol.for("gui_agent.stillness");
  if (window[KEY]) return;
  const later = window.setTimeout.bind(window);
  const UNDER_WAY = 1000; // maximum ms between two inputs of one action
  const AHEAD = 20; // ms: an element under the pointer is reported before the pointer's own movement
  const LASTING = 1000; // ms: a longer activity is not the effect of the action
  const TICK = 50; // ms: a shorter interval animates something, a longer one polls something
  const clock = () => performance.timeOrigin + performance.now(); // the same in all frames
  const outer = () => {
    try {
      return window.top[KEY];
    } catch {
      return undefined; // the top document is of another origin
    }
  };
  if (followed > 0) {
    const { setTimeout, clearTimeout } = window;
    window.setTimeout = function (work, ms, ...rest) {
      const waiting = outer();
      const handling = window.event && window.event.isTrusted && ms > 0 && ms <= followed;
      if (!handling || !waiting || typeof work !== "function") return setTimeout.call(window, work, ms, ...rest);
      const id = setTimeout.call(
        window,
        (...given) => {
          waiting.timers.delete(id);
          work.apply(window, given);
        },
        ms,
        ...rest,
      );
      waiting.timers.set(id, clock());
      return id;
    };
    window.clearTimeout = function (id) {
      outer()?.timers.delete(id);
      return clearTimeout.call(window, id);
    };
    const { requestAnimationFrame, cancelAnimationFrame, setInterval, clearInterval } = window;
    const handling = () => Boolean(window.event && window.event.isTrusted);
    let since = 0; // when the current series of frames began
    window.requestAnimationFrame = function (work) {
      const waiting = outer();
      const began = since || (handling() ? performance.now() : 0);
      if (!began || !waiting || performance.now() - began > LASTING) return requestAnimationFrame.call(window, work);
      const id = requestAnimationFrame.call(window, (...given) => {
        waiting.moving.delete(`frame ${id}`);
        since = began;
        try {
          work.apply(window, given);
        } finally {
          since = 0;
        }
      });
      waiting.moving.set(`frame ${id}`, clock());
      return id;
    };
    window.cancelAnimationFrame = function (id) {
      outer()?.moving.delete(`frame ${id}`);
      return cancelAnimationFrame.call(window, id);
    };
    window.setInterval = function (work, ms, ...rest) {
      const id = setInterval.call(window, work, ms, ...rest);
      if (handling() && ms <= TICK) outer()?.moving.set(`ticks ${id}`, clock());
      return id;
    };
    window.clearInterval = function (id) {
      outer()?.moving.delete(`ticks ${id}`);
      return clearInterval.call(window, id);
    };
  }
  const begun = (event) => event.isTrusted && outer()?.acted();
  for (const name of ["pointermove", "mousedown", "wheel", "keydown", "beforeinput"]) {
    window.addEventListener(name, begun, { capture: true, passive: true });
  }
  if (window !== window.top) return; // the top document watches its frames
  const EVENTS = ["input", "change", "scroll", "focusin", "focusout", "toggle", "select", "resize"];
  const RING = /^(box-shadow|outline-.*|border-.*-color)$/; // the focus ring moves nothing
  const LONG_ANIMATION = 2500; // remaining ms: a progress bar, not an effect
  const PROGRAMS = "script, iframe, frame, object, embed, [onload], [onerror], [onpageshow]";
  const OF_INPUT = /^(key|beforeinput|input|text|composition|pointer|mouse|touch|click|focus|blur|change|select)/i;

  const alone = new WeakMap(); // node -> {last, mean, count}: how regularly it changes without an action
  const bursts = new WeakMap(); // node -> {start, count}: its changes since the last action
  const roots = new Set();
  let active = true; // between an action and the rest after it
  let armed = false;
  let armedAt = performance.now();
  let actedAt = -Infinity; // time of the last real input
  let byInput = false; // input that began an action, since the last rest
  let changedAt = 0;
  let series = { count: 0 }; // changes since the last action: {start, last, count}
  let written = false; // text appeared, disappeared or changed since the last action, anywhere
  let scripted = false; // a script was inserted into the document, perhaps to be removed again
  let grown = true; // nodes were added that may contain frames or shadow roots

  const beat = (node, now) => {
    const known = alone.get(node);
    const gap = known ? now - known.last : 0;
    if (!known || (known.count > 2 && gap > Math.max(500, 6 * known.mean)) || gap > 3000) {
      alone.set(node, { last: now, mean: 0, count: 1 });
      return false;
    }
    known.mean = (known.mean * (known.count - 1) + gap) / known.count;
    known.count += 1;
    known.last = now;
    return known.count > 3;
  };
  const restless = (node, now) => {
    if (!active) return beat(node, now);
    if (alone.has(node) && alone.get(node).count > 2 && beat(node, now)) return true;
    let burst = bursts.get(node);
    if (!burst || burst.start < armedAt) bursts.set(node, (burst = { start: now, count: 0 }));
    burst.count += 1;
    if (burst.count <= 5 || now - burst.start <= LASTING) return false;
    alone.set(node, { last: now, mean: (now - burst.start) / burst.count, count: burst.count });
    return true;
  };

  const observer = new MutationObserver((records) => {
    const now = performance.now();
    const seen = new Map();
    const worded = (record) =>
      record.type === "characterData"
        ? record.target.data !== record.oldValue
        : [...record.addedNodes, ...record.removedNodes].some((node) => !/^(script|style)$/.test(node.localName) && node.textContent.trim());
    for (const record of records) {
      if (record.addedNodes.length) grown = true;
      for (const node of record.addedNodes) scripted ||= node.localName === "script";
      if (!seen.has(record.target)) seen.set(record.target, restless(record.target, now));
    }
    if (![...seen.values()].some((ignored) => !ignored)) return;
    written ||= active && records.some((record) => !seen.get(record.target) && worded(record));
    changedAt = now;
    series = series.count ? { ...series, last: now, count: series.count + 1 } : { start: now, last: now, count: 1 };
  });
  const stirred = (event) => {
    if (event.type !== "scroll" || !restless(event.target, performance.now())) changedAt = performance.now();
  };

  const watch = (root) => {
    if (!roots.has(root)) {
      roots.add(root);
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true, characterDataOldValue: true });
      for (const name of EVENTS) root.addEventListener(name, stirred, { capture: true, passive: true });
    }
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) watch(node.shadowRoot);
      else if (node.localName === "iframe" || node.localName === "frame") {
        try {
          if (node.contentDocument) watch(node.contentDocument);
        } catch {
          // another origin: its requests are observed from outside
        }
      }
    }
  };
  const look = () => {
    grown = false;
    for (const root of roots) if (!(root.host ? root.host.isConnected : root.defaultView)) roots.delete(root);
    watch(document);
  };

  // Whether only pending work can change a document without an action in it: it has no program.
  const inert = () => actedAt < 0 && !scripted && !document.querySelector(PROGRAMS);
  // How long the next change may take if changes come at intervals, as a script moves or fills something.
  const pace = () => (series.count > 2 ? Math.min(250, (3 * (series.last - series.start)) / (series.count - 1)) : 0);
  const moving = () => {
    for (const root of roots) {
      for (const animation of root.getAnimations()) {
        if ((animation.playState !== "running" && !animation.pending) || RING.test(animation.transitionProperty)) continue;
        const timing = animation.effect ? animation.effect.getComputedTiming() : { endTime: Infinity };
        const left = (timing.endTime - (animation.currentTime || 0)) / (animation.playbackRate || 1);
        if (left > 0 && left < LONG_ANIMATION) return true;
      }
    }
    return false;
  };
  const frame = () =>
    new Promise((done) => {
      later(done, 30); // invisible pages draw no frames
      requestAnimationFrame(() => later(done, 0));
    });
  const pause = (ms) => new Promise((done) => later(done, Math.max(1, ms)));

  window[KEY] = {
    timers: new Map(), // set by the page in answer to the last action, and not due yet: their due times
    moving: new Map(), // start times of animations (frames and ticks) in answer to the last action
    // Changes and activities since then are the effect of an action.
    since(then) {
      look();
      active = armed = true;
      armedAt = then;
      for (const begun of [this.timers, this.moving]) {
        for (const [id, at] of begun) if (at < performance.timeOrigin + then) begun.delete(id);
      }
      if (changedAt < then) series = { count: 0 };
      else if (series.start < then) series = { start: changedAt, last: changedAt, count: 1 };
      if (changedAt < then) changedAt = 0;
      if (!changedAt) written = false;
    },
    // Called for real input before the page receives it; the first one after a rest or a while begins an action. In
    // a new document, the action is the one that led there.
    acted() {
      const now = performance.now();
      if (!active || (armed && now - actedAt > UNDER_WAY)) {
        this.since(now - AHEAD);
        byInput = true;
      }
      actedAt = now;
    },
    // Milliseconds since the last change after an action; in a new document, at most since it began.
    still() {
      const now = performance.now();
      return changedAt ? now - changedAt : armed ? 1e9 : now;
    },
    // Whether the page listens to clicks at a point, or to keys and text at the focus.
    heard(x, y, listeners) {
      let at = document.elementFromPoint(x, y);
      while (at?.shadowRoot?.elementFromPoint(x, y)) {
        const inner = at.shadowRoot.elementFromPoint(x, y);
        if (inner === at) break;
        at = inner;
      }
      while (at) {
        for (const [type, all] of Object.entries(listeners(at))) {
          if (OF_INPUT.test(type) && all.some(({ listener }) => listener !== begun && listener !== stirred)) return true;
        }
        at = at === document ? window : at === window ? null : at.assignedSlot || at.parentNode || at.host;
      }
      return false;
    },
    // Resolves to [changed, quiet, written] if nothing has changed for `quiet` ms, or nothing at all within `grace` ms; without
    // grace, it waits only for pending work. The
    // action began `ago` ms ago, minus the transit time of this request, which is long on a busy machine. That
    // counts only if its input was not noticed, because it counted as part of an earlier action or went to a frame of
    // another origin.
    async rest(grace, quiet, cap, ago) {
      const began = performance.now();
      if (!byInput && armedAt < began - ago) this.since(began - ago);
      const end = (calm) => {
        active = byInput = false;
        return [changedAt > 0, calm, written];
      };
      active = true;
      if (inert()) grace = 0;
      let framedAt = 0; // effects that scripts deferred to the next frame have happened by then
      const show = async () => {
        await frame();
        framedAt = performance.now();
      };
      if (grace) await show();
      for (;;) {
        const now = performance.now();
        if (now - began >= cap) return end(false);
        const due = changedAt ? changedAt + Math.max(quiet, pace()) : began + grace;
        if (document.readyState === "loading") await pause(10);
        else if (now < due) await pause(due - now);
        else if (this.timers.size || (this.moving.size && now - armedAt < LASTING)) await pause(5);
        else if (moving()) {
          changedAt = now;
          await pause(16);
        } else {
          if (grown) look();
          if (!grace || framedAt >= changedAt) return end(true);
          await show();
        }
      }
    },
  };
  if (document.documentElement) look();
}

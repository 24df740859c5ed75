// Watches a document, its same-origin frames and its open shadow roots for changes, so that one can wait until
// an action has had its effect. Nodes that were changing by themselves before the action (clocks, spinners) and
// nodes that go on changing for more than a second are left out of account.
(() => {
  const KEY = Symbol.for("gui_agent.stillness");
  if (window !== window.top || window[KEY]) return; // the top document watches its frames
  const EVENTS = ["input", "change", "scroll", "focusin", "focusout", "toggle", "select", "resize"];
  const LASTING = 1000; // ms: what goes on longer than this is not the effect of the action
  const LONG_ANIMATION = 2500; // ms still to run: a progress bar, not an effect

  const rhythms = new WeakMap(); // node -> {start, last, mean, count}: how regularly it changes
  const roots = new Set();
  let armedAt = performance.now();
  let changedAt = 0;
  let grown = true; // nodes were added that may hold frames or shadow roots

  const restless = (node, now) => {
    let rhythm = rhythms.get(node);
    const gap = rhythm ? now - rhythm.last : 0;
    if (!rhythm || (rhythm.count > 1 && gap > Math.max(100, 4 * rhythm.mean)) || gap > 3000) {
      rhythm = { start: now, last: now, mean: 0, count: 1 };
    } else if (gap > 0) {
      rhythm.mean = (rhythm.mean * (rhythm.count - 1) + gap) / rhythm.count;
      rhythm.count += 1;
      rhythm.last = now;
    }
    rhythms.set(node, rhythm);
    return (rhythm.count > 2 && rhythm.start < armedAt) || (rhythm.count > 5 && now - rhythm.start > LASTING);
  };

  const observer = new MutationObserver((records) => {
    const now = performance.now();
    const seen = new Map();
    for (const record of records) {
      if (record.addedNodes.length) grown = true;
      if (!seen.has(record.target)) seen.set(record.target, restless(record.target, now));
    }
    if ([...seen.values()].some((ignored) => !ignored)) changedAt = now;
  });
  const stirred = (event) => {
    if (event.type !== "scroll" || !restless(event.target, performance.now())) changedAt = performance.now();
  };

  const watch = (root) => {
    if (!roots.has(root)) {
      roots.add(root);
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      for (const name of EVENTS) root.addEventListener(name, stirred, { capture: true, passive: true });
    }
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) watch(node.shadowRoot);
      else if (node.localName === "iframe" || node.localName === "frame") {
        try {
          if (node.contentDocument) watch(node.contentDocument);
        } catch {
          // another origin: its requests are seen from outside
        }
      }
    }
  };
  const look = () => {
    grown = false;
    for (const root of roots) if (!(root.host ? root.host.isConnected : root.defaultView)) roots.delete(root);
    watch(document);
  };

  const moving = () => {
    for (const root of roots) {
      for (const animation of root.getAnimations()) {
        if (animation.playState !== "running" && !animation.pending) continue;
        const timing = animation.effect ? animation.effect.getComputedTiming() : { endTime: Infinity };
        const left = (timing.endTime - (animation.currentTime || 0)) / (animation.playbackRate || 1);
        if (left > 0 && left < LONG_ANIMATION) return true;
      }
    }
    return false;
  };
  const frame = () =>
    new Promise((done) => {
      const late = setTimeout(done, 30);
      requestAnimationFrame(() => requestAnimationFrame(() => (clearTimeout(late), done())));
    });
  const pause = (ms) => new Promise((done) => setTimeout(done, Math.max(1, ms)));

  window[KEY] = {
    // Called just before an action: what changes from now on is its effect.
    arm() {
      look();
      observer.takeRecords();
      armedAt = performance.now();
      changedAt = 0;
      return window.devicePixelRatio;
    },
    // Resolves to [changed, quiet] when nothing has changed for `quiet` ms, or nothing at all within `grace` ms.
    async rest(grace, quiet, cap) {
      const began = performance.now();
      for (;;) {
        const now = performance.now();
        if (now - began >= cap) return [changedAt > 0, false];
        const due = changedAt ? changedAt + quiet : began + grace;
        if (document.readyState === "loading") await pause(10);
        else if (now < due) await pause(due - now);
        else if (moving()) {
          changedAt = now;
          await pause(16);
        } else {
          if (grown) look();
          const before = changedAt;
          await frame();
          if (changedAt === before) return [changedAt > 0, true];
        }
      }
    },
  };
  if (document.documentElement) look();
})();

// A bar in the page that is recorded: check this, read this, this changes, what is this called, undo, done. It is in a
// closed shadow root of the isolated world and takes real input only, so that the page can neither read nor press it.
// It listens before the recorder does, and keeps its own clicks from the recorder and from the page.
(() => {
  "use strict";
  if (globalThis.guiagentBar) globalThis.guiagentBar.start();
  if (globalThis.guiagentBar || !globalThis.guiagentTold || window.top !== window) return;
  const WORDS = globalThis.guiagentBarWords || {};
  const say = (text) => WORDS[text] || text;
  const ACTS = [["check", "Check this"], ["read", "Read this"], ["vary", "This changes"], ["name", "What is this called?"],
    ["undo", "Undo"], ["done", "Done"]];
  const PICKED = { check: "Click the text that has to be shown after the last step.", read: "Click the value to read.",
    vary: "Click the field whose value differs each time.", name: "Click anything to see its name." };
  const MOUSE = ["pointerdown", "pointerup", "mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "touchstart", "touchend"];
  const KEYS = ["keydown", "keypress", "keyup", "beforeinput", "input", "focusin", "focusout"];

  const host = document.createElement("div"), root = host.attachShadow({ mode: "closed" });
  const make = (tag, facts) => Object.assign(document.createElement(tag), facts);
  const bar = make("div", { id: "bar" }), said = make("p", { role: "status" }), frame = make("div", { id: "frame", hidden: true });
  bar.setAttribute("role", "toolbar");
  bar.ariaLabel = say("Recording");
  for (const [act, text] of ACTS) {
    const button = make("button", { type: "button", textContent: say(text) });
    button.dataset.act = act;
    bar.append(button);
  }
  bar.append(make("button", { type: "button", textContent: "⇅", title: say("Move the bar"), ariaLabel: say("Move the bar") }));
  bar.append(said);
  const style = make("style", { textContent: `
    #bar { position: fixed; z-index: 2147483647; inset: auto 8px 12px; margin-inline: auto; width: fit-content; box-sizing: border-box;
      display: flex; flex-wrap: wrap; gap: 6px; padding: 8px; border-radius: 14px; background: #1b1a18; color: #fff; font: 14px/1.4 system-ui, sans-serif; box-shadow: 0 6px 24px rgb(0 0 0 / 40%); }
    #bar.up { inset: 12px 8px auto; }
    button { font: inherit; font-weight: 600; color: #fff; background: #3a3936; border: 1px solid #6a6760; border-radius: 9px; padding: 7px 11px; min-height: 36px; cursor: pointer; }
    button[aria-pressed=true], button[data-act=done] { background: #3a56d4; border-color: #3a56d4; }
    button:focus-visible { outline: 3px solid #fff; outline-offset: 1px; }
    p { flex-basis: 100%; margin: 0; min-height: 1.4em; overflow-wrap: anywhere; }
    #frame { position: fixed; z-index: 2147483646; pointer-events: none; border: 3px solid #e8178a; border-radius: 4px; }
    [hidden] { display: none; }` });
  root.append(style, frame, bar);

  let mode = "", listening = true;
  const show = (text) => { said.textContent = text; };
  function choose(next) {
    mode = next;
    frame.hidden = true;
    for (const button of bar.querySelectorAll("[data-act]")) button.ariaPressed = String(button.dataset.act === mode);
    show(mode ? say(PICKED[mode]) : "");
  }
  function press(button) {
    const act = button.dataset.act;
    if (!act) bar.classList.toggle("up");
    else if (act in PICKED) choose(mode === act ? "" : act);
    else { choose(""); globalThis.guiagentListening.mark(act); }
  }
  function outline(node) {
    const box = node.getBoundingClientRect?.();
    frame.hidden = !box;
    if (box) Object.assign(frame.style, { left: `${box.left - 3}px`, top: `${box.top - 3}px`, width: `${box.width}px`, height: `${box.height}px` });
  }
  function take(event) {
    if (!event.isTrusted || !listening) return;
    const node = event.composedPath()[0], mine = node === host;
    if (!mine && !mode) return;
    if (event.type === "pointermove") { if (mine) frame.hidden = true; else outline(node); return; }
    event.stopImmediatePropagation();
    if (event.type !== "pointerdown" || !mine) event.preventDefault();
    if (event.type !== "click") return;
    if (mine) {
      const at = event.detail ? root.elementFromPoint(event.clientX, event.clientY) : root.activeElement;
      const button = at && at.closest("button");
      if (button) press(button);
      return;
    }
    const act = mode;
    choose("");
    globalThis.guiagentListening.mark(act, node, event.clientX, event.clientY);
  }
  const shield = (event) => { if (event.composedPath()[0] === host) event.stopImmediatePropagation(); };
  for (const type of [...MOUSE, "pointermove"]) window.addEventListener(type, take, { capture: true, passive: false });
  for (const type of KEYS) window.addEventListener(type, shield, true);

  const place = () => { if (listening && !host.isConnected) document.documentElement?.append(host); };
  place();
  document.addEventListener("DOMContentLoaded", place);
  setInterval(place, 300);  // a page may replace its whole document
  const start = () => { listening = true; place(); };
  const stop = () => { listening = false; host.remove(); };
  globalThis.guiagentBar = { start, stop, say: show };
})();

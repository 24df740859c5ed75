// Controls in use: found at a point, and queried again by number.

const OPERATED = 8; // how many are remembered
const EXPECTED = 2000; // ms for an announced press to arrive
const operated = new Map();
let lastOperated = 0;
let clicks = 0; // completed clicks in this document
let expected = null; // the target of the next press: {x, y, ratio, number, until}
let halted = ""; // "pressed" while a press for another target is stopped, then "over"
let tell = () => {}; // called when that happens

// Whether a listed element is on top at a point in screenshot pixels; if so, the page's next press passes only
// while it still is. Never in a page with frames, where a press may go to a document that this script does not hear.
function expectPress(x, y, ratio, number) {
  expected = { x, y, ratio, number, until: performance.now() + EXPECTED };
  halted = "";
  if (window.length || !standsThere(expected)) expected = null;
  return JSON.stringify(expected !== null);
}

function standsThere({ x, y, ratio, number }) {
  const there = JSON.parse(at(x, y, null));
  return !!there && there.ratio === ratio && there.ids.includes(number) && !there.changed.length;
}

// The press arrives after the page reacted to the pointer, so this is the latest point for the test.
function testPress(event) {
  if (!event.isTrusted) return;
  if (expected && event.type === "pointerdown") {
    const there = performance.now() > expected.until || standsThere(expected);
    expected = null;
    if (!there) halted = "pressed";
  }
  if (halted !== "pressed") return;
  event.stopImmediatePropagation();
  if (event.type !== "pointerdown") event.preventDefault(); // its only effect would be its further events
  const end = () => {
    halted = "over";
    tell();
  };
  if (event.type === "mouseup") setTimeout(end, 0); // a click follows at once, if at all
}
for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
  window.addEventListener(name, testPress, { capture: true });
}
window.addEventListener("mouseup", () => (clicks += 1), { capture: true, passive: true });

// JSON of {number, facts, document, clicks} of the control at a point of this document in CSS pixels; null if there is
// none.
function controlAt(x, y) {
  const control = controlUnder(x, y);
  return JSON.stringify(control && { ...remembered(control), document: birth, clicks });
}

// JSON of {number, facts, keyboard} of the control at a point after a click: whether typing goes to it now. The
// click may precede this query; it is the first one after `known` = {document, clicks}. Without one, after `cap`
// ms. Null if another document is there now; {halted} if the target announced to `expectPress` is gone.
async function controlAfterClick(x, y, known, cap) {
  if (known.document !== birth) return JSON.stringify(null);
  let control = null;
  if (clicks === known.clicks) {
    control = controlUnder(x, y); // before the click, which would force another layout
    const held = new Promise((done) => (tell = done));
    if (halted !== "over") await Promise.race([clicked(), held, new Promise((done) => setTimeout(done, cap))]);
    const wrong = halted;
    [expected, halted] = [null, ""];
    if (wrong) return JSON.stringify({ halted: true });
  }
  if (!control?.isConnected) control = controlUnder(x, y);
  return JSON.stringify(control && { ...remembered(control), keyboard: control === control.getRootNode().activeElement });
}

// JSON of {value}: the result of a function of the control; null if another document is there now.
function askControl(number, ask) {
  const control = operated.get(number);
  return JSON.stringify(control ? { value: ask(control) ?? null } : null);
}

function controlUnder(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit && theControl(hit);
}

function remembered(control) {
  operated.set(++lastOperated, control);
  operated.delete(lastOperated - OPERATED);
  return { number: lastOperated, facts: factsOf(control) };
}

function clicked() {
  return new Promise((done) => {
    // The page has finished its click handlers when the next task runs.
    window.addEventListener("mouseup", () => setTimeout(done, 0), { capture: true, once: true, passive: true });
  });
}

// Controls that are being operated: found at a point, and asked again by number.

const OPERATED = 8; // so many are remembered
const operated = new Map();
let lastOperated = 0;
let clicks = 0; // that ended in this document
window.addEventListener("mouseup", () => (clicks += 1), { capture: true, passive: true });

// JSON of {number, facts, document, clicks} of the control at a point of this document in CSS pixels; null where nothing
// is.
function controlAt(x, y) {
  const control = controlUnder(x, y);
  return JSON.stringify(control && { ...remembered(control), document: birth, clicks });
}

// JSON of {number, facts, keyboard} of the control at a point after a click: whether what is typed now goes to it. The
// click may come before this question; it is the first one after `known` = {document, clicks}. Without one, after `cap`
// ms. Null when another document is there now.
async function controlAfterClick(x, y, known, cap) {
  if (known.document !== birth) return JSON.stringify(null);
  let control = null;
  if (clicks === known.clicks) {
    control = controlUnder(x, y); // before the click, after which the page would have to be laid out for it
    await Promise.race([clicked(), new Promise((done) => setTimeout(done, cap))]);
  }
  if (!control?.isConnected) control = controlUnder(x, y);
  return JSON.stringify(control && { ...remembered(control), keyboard: control === control.getRootNode().activeElement });
}

// JSON of {value}: what a function of the control gives; null when another document is there now.
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
    // What the page does at the end of a click it has done when the next task runs.
    window.addEventListener("mouseup", () => setTimeout(done, 0), { capture: true, once: true, passive: true });
  });
}

// Controls that are being operated: found at a point, and asked again by number.

const OPERATED = 8; // so many are remembered
const operated = new Map();
let lastOperated = 0;
let clicks = 0; // that ended in this document
window.addEventListener("mouseup", () => (clicks += 1), { capture: true, passive: true });

// JSON of {number, facts} of the control at a point of this document in CSS pixels; null where nothing is.
function controlAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  if (!hit) return JSON.stringify(null);
  const control = theControl(hit);
  operated.set(++lastOperated, { control, clicks });
  operated.delete(lastOperated - OPERATED);
  return JSON.stringify({ number: lastOperated, facts: factsOf(control) });
}

// JSON of {value}: what a function of the control gives; null when another document is there now.
function askControl(number, ask) {
  const known = operated.get(number);
  return JSON.stringify(known ? { value: ask(known.control) ?? null } : null);
}

// The same once a click has been handled that may come before or after this question; without one, after `cap` ms.
async function askAfterClick(number, ask, cap) {
  const known = operated.get(number);
  if (known && clicks === known.clicks) await Promise.race([clicked(), new Promise((done) => setTimeout(done, cap))]);
  return askControl(number, ask);
}

function clicked() {
  return new Promise((done) => {
    // What the page does at the end of a click it has done when the next task runs.
    window.addEventListener("mouseup", () => setTimeout(done, 0), { capture: true, once: true, passive: true });
  });
}

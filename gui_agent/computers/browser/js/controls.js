// Controls that are being operated: found at a point, and asked again by number.

const OPERATED = 8; // so many are remembered
const operated = new Map();
let lastOperated = 0;

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
  operated.set(++lastOperated, control);
  operated.delete(lastOperated - OPERATED);
  return JSON.stringify({ number: lastOperated, facts: factsOf(control) });
}

// JSON of {value}: what a function of the control gives; null when another document is there now.
function askControl(number, ask) {
  const control = operated.get(number);
  return JSON.stringify(control ? { value: ask(control) ?? null } : null);
}

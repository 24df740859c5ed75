// The visible stand-in of a transparent or clipped control, the label of the field around a control without one, and
// radio buttons as one group.

const standing = new WeakMap(); // stand-in of a control -> the control

// The nearest drawn ancestor of an invisible control without another control in it, and its rectangle; null if there is none.
function standIn(el, frame, c) {
  for (let left = 6; left && c && c.el; left--, c = c.up) {
    if (c.el.querySelectorAll(STOOD_FOR).length > 1) return null;
    const rect = meet(rectOf(c.el), c.clip);
    if (c.ghost || isThin(rect, 14) || rect[3] - rect[1] > 120) continue;
    return { el: c.el, rect };
  }
  return null;
}
const STOOD_FOR = "input:not([type=hidden]):not([aria-hidden=true]),select,textarea,button,[role=slider],[role=combobox]"
  .replace("select", "select:not([aria-hidden=true], [tabindex='-1'], [aria-hidden=true] *)");

// The box of an invisible control: its label, or else its stand-in if the control is `drawn`.
function inStead(el, frame, c, drawn) {
  const list = !PROXIED.has(el.type);
  const labels = Array.from((!list && el.labels) || []).sort((a, b) => b.contains(el) - a.contains(el));
  for (const label of labels) {
    let outer = c;
    while (outer.el && outer.up && label.contains(outer.el)) outer = outer.up;
    const beside = drawn && !label.contains(el) && standIn(el, frame, c);
    if (beside) return beside;
    const rect = meet(rectOf(label), outer.clip);
    if (!outer.ghost && !isThin(rect)) return { el: label, rect };
  }
  return drawn ? standIn(el, frame, c) : null;
}

// The visible value of a list whose own field is transparent.
function shownValue(el) {
  let text = "";
  for (let at = el.parentElement, left = 4; !text && at && left; at = at.parentElement, left--) {
    if (at.querySelectorAll(STOOD_FOR).length > 1) return "";
    text = tidy(textOf(at));
  }
  return text.length <= LONGEST_LABEL ? text : "";
}

// The label of the field that contains a control without a name.
function fieldLabel(el) {
  for (let at = above(el), left = 8; at && left; at = above(at), left--) {
    if (at.nodeType !== 1) continue;
    if (/^(form|body|table|tr|ul|ol|main|dialog)$/.test(at.localName)) return "";
    const labels = Array.from(at.querySelectorAll("label, legend"), (label) => [label, tidy(label.textContent)])
      .filter(([label, text]) => text && text.length <= LONGEST_LABEL && !label.contains(el) && !el.contains(label));
    if (labels.length > 1) return "";
    if (!labels.length) continue;
    const [label, text] = labels[0];
    const other = at.querySelector("input:not([type=hidden]):not([aria-hidden=true]), textarea, select, [contenteditable=true]");
    if (other && other !== el && !el.contains(other) && !/^(input|textarea|select)$/.test(el.localName) && !roleOf(el, el.localName).match(/slider|combobox|textbox|group|spin|switch/)) return "";
    return !label.control || label.control === el || el.contains(label.control) ? text : "";
  }
  return "";
}

// Adds the groups of visible radio buttons, and the fields that consist of parts for the day, the month ...,
// if they have a name.
function withGroups(kept) {
  const groups = new Map();
  for (const item of kept) {
    const part = item.role === "spinbutton" && item.tag !== "input";
    const holder = part ? segmented(item.el) : item.role === "radio" ? groupOf(item.el) : null;
    if (!holder) continue;
    if (!groups.has(holder)) groups.set(holder, []);
    groups.get(holder).push(item);
  }
  for (const [el, parts] of groups) {
    const outer = el.closest("[role=group]");
    const name = labelledName(el) || nativeName(el, el.localName) || outer && labelledName(outer) || fieldLabel(el);
    if (!name || kept.some((item) => item.el === el)) continue;
    const radios = parts[0].role === "radio";
    const on = radios && parts.find(({ el: radio }) => radio.checked || truth(radio, "aria-checked"));
    const { frame } = parts[0];
    if (!radios) for (const part of parts) part.name = tidy(part.name.replace(name, "").replace(/[,\s]+$/, "")) || part.name;
    kept.splice(kept.indexOf(parts[0]), 0, {
      el, key: el, frame, rect: parts.map((item) => item.rect).reduce(around), role: radios ? "radiogroup" : "date",
      tag: el.localName, style: getComputedStyle(el), kind: 1, name,
      value: on ? on.name || nameOf(on.el, "radio", on.tag) : radios ? "" : tidy(textOf(el)),
    });
  }
  return kept;
}

// The container of the parts of a date or time, each of which works like a spin button.
function segmented(part) {
  for (let at = above(part), left = 4; at && at.querySelectorAll && left; at = above(at), left--) {
    if (at.querySelectorAll("[role=spinbutton]:not(input)").length > 1) return at;
  }
  return null;
}

// The container of a radio button's group: one that declares it, or one around those of the same name, or around
// those that give their number.
function groupOf(radio) {
  let given = radio;
  while (given && !(given.matches && given.matches("[role=radiogroup], fieldset"))) given = above(given);
  const size = Number(radio.getAttribute("aria-setsize"));
  if (given || !radio.name && !size) return given;
  const query = radio.name ? `input[type=radio][name="${CSS.escape(radio.name)}"]` : "[role=radio]";
  const count = radio.name ? radio.getRootNode().querySelectorAll(query).length : size;
  let holder = count > 1 ? radio.parentElement : null;
  while (holder && holder.querySelectorAll(query).length < count) holder = holder.parentElement;
  return holder && !/^(form|body|html)$/.test(holder.localName) ? holder : null;
}

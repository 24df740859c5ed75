// Which elements are things to operate or to read, and what of them stays on the list.

const POINTABLE = new Set(["ul", "ol", "table", "tbody", "thead", "tr", "dl", "body", "html", "svg", "g", "form", "fieldset"]);

const ROWS = new Set(["li", "td", "dt", "dd"]);
const HOLDERS = new Set(
  ("menu menubar tablist tree grid treegrid list group region dialog alertdialog form main navigation tabpanel " +
    "toolbar radiogroup table rowgroup document application").split(" "),
);

// An item for the element, or null when only its text and children matter.
function candidate(el, tag, frame, c, style, rect, clip, seen) {
  if (tag === "body" || tag === "html") return null;
  const role = roleOf(el, tag);
  if (!seen) return unseenField(el, tag, frame, c, style, rect, clip, role);
  const vector = el.ownerSVGElement;
  if (vector && c.owner && c.owner.kind >= 2) return null;
  let kind = 0;
  if (OPERABLE.has(role)) kind = 4;
  else if (isEditable(el)) kind = 4;
  else if (el.hasAttribute("onclick") || el.hasAttribute("tabindex") && el.tabIndex >= 0 || el.getAttribute("draggable") === "true") kind = 3;
  else if (style.cursor === "pointer" && !POINTABLE.has(tag) && (!c.pointer || ROWS.has(tag))) kind = 2;
  else if (TOLD.has(role) || CELLS.has(role)) kind = 1;
  else if (vector ? SHAPES.has(tag) || tag === "image" || tag === "use" : tag === "svg") kind = 1;
  else if (scrolls(el, style)) kind = 1;
  const bare = kind < 3 && role === "generic" && !el.firstElementChild && !vector && painted(el, style, rect);
  if (bare && !kind) kind = 1;
  const deaf = style.pointerEvents === "none";
  if (!kind || deaf && (kind === 2 || kind === 3)) return null;
  if (tag === "label" && kind < 4 && el.control) return null;
  if (tag === "input" && el.type === "hidden") return null;
  let box = meet(rect, clip);
  if (vector) box = meet(thickened(rect, style), clip);
  if (isThin(box)) return PROXIED.has(el.type) && tag === "input" ? unseenField(el, tag, frame, c, style, rect, clip, role) : null;
  const drawn = bare || vector && tag !== "text" && tag !== "g" && tag !== "tspan" || tag === "svg";
  const told = role !== "generic" ? role : isEditable(el) ? "textbox" : drawn ? "img" : role;
  return {
    el, key: el, frame, rect: box, role: told, tag, style, kind,
    control: kind >= 2, name: "", scrolls: scrolls(el, style), deaf,
  };
}

// A field that cannot be seen itself: its label stands for it, or it lies transparent over what is drawn.
function unseenField(el, tag, frame, c, style, rect, clip, role) {
  if (tag === "input" && PROXIED.has(el.type)) {
    const box = meet(rect, clip);
    if (!isThin(box, 6) && style.visibility === "visible") {
      const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
      if (under(frame, x, y) === el) return { el, key: el, frame, rect: box, role, tag, style, kind: 4, control: true, name: "" };
    }
    const hidden = c.ghost;
    c.ghost = false;
    const before = items.length;
    proxied(el, frame, c);
    c.ghost = hidden;
    return items.length > before ? items.pop() : null;
  }
  return null;
}

function thickened(rect, style) {
  const half = style.stroke === "none" ? 0 : Math.max(1, (parseFloat(style.strokeWidth) || 0) / 2);
  return [
    rect[0] - (rect[2] - rect[0] < 2 ? half : 0), rect[1] - (rect[3] - rect[1] < 2 ? half : 0),
    rect[2] + (rect[2] - rect[0] < 2 ? half : 0), rect[3] + (rect[3] - rect[1] < 2 ? half : 0),
  ];
}

function scrolls(el, style) {
  const how = style.overflow;
  if (how === "visible" || how === "hidden" || how === "clip") return false;
  return el.scrollHeight > el.clientHeight + 2 && /auto|scroll/.test(style.overflowY)
    || el.scrollWidth > el.clientWidth + 2 && /auto|scroll/.test(style.overflowX);
}

// Whether an element without children shows something by its style alone: an icon, a coloured box.
function painted(el, style, rect) {
  if (el.localName === "hr" || el.localName === "label") return false;
  if (/\S/.test(el.textContent)) return style.backgroundImage !== "none"; // a word moved out of sight behind an icon
  const w = rect[2] - rect[0];
  const h = rect[3] - rect[1];
  if (w < 5 || h < 5 || w * h > 0.3 * innerWidth * innerHeight) return false;
  if (style.content.startsWith("url")) return true;
  if (style.backgroundImage !== "none" || colourName(style.backgroundColor)) return true;
  if (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0) return true;
  const drawn = (which) => !/^(none|normal|"\s*")$/.test(getComputedStyle(el, which).content);
  return drawn("::before") || drawn("::after");
}

// Decides on an item when all in it is known: names it, drops it or the texts that only repeat its name.
function settleItem(item, first) {
  const inner = items.slice(first).filter((one) => !one.dropped);
  const controls = inner.filter((one) => one.control || one.apart);
  const nested = controls.find((one) => one.role === item.role && one.tag === item.tag);
  const rows = nested && (item.kind === 2 || item.role === "treeitem");
  const texts = inner.filter((one) => one.role === "text" && !(rows && nested.el.parentNode.contains(one.el)));
  nameItem(item, texts, rows);
  if (rows) keepOwnRow(item, nested);
  if (isNeedless(item, texts, controls)) {
    item.dropped = true;
    return;
  }
  for (const text of texts) {
    const told = text.name === item.name || item.kind === 4 && item.name.length <= 80 && item.name.includes(text.name);
    if (told) text.dropped = true;
  }
}

function nameItem(item, texts, rows) {
  const { el, tag, role, kind } = item;
  const labelled = kind === 4 || TOLD.has(role) || NAMED_BY_CONTENT.has(role);
  const read = () => short(texts.map((text) => text.name).join(" "), 120);
  if (rows) item.name = labelledName(el) || read();
  else if (labelled) item.name = nameOf(el, role, tag);
  else {
    item.name = labelledName(el) || nativeName(el, tag);
    if (!item.name && kind >= 2 && !item.scrolls && !HOLDERS.has(role)) item.name = read();
    if (!item.name) item.name = lastResort(el);
  }
  if (!item.name && role === "img" && !texts.length) item.name = tidy(textOf(el));
}

// A row of a tree that holds the rows below it: its own place ends where those begin.
function keepOwnRow(item, nested) {
  const top = nested.rect[1];
  if (nested.frame === item.frame && top > item.rect[1] + 2) item.rect = [item.rect[0], item.rect[1], item.rect[2], Math.min(top, item.rect[3])];
}

// Whether an item says nothing that what is in it does not say: wrappers, empty boxes, cells full of controls.
function isNeedless(item, texts, controls) {
  const { role, kind, el, tag, name } = item;
  if (item.scrolls || kind === 4) return false;
  const only = controls.length === 1 ? controls[0] : null;
  if (tag === "svg") return !name && items[items.length - 1] !== item;
  if (HOLDERS.has(role)) return controls.length > 0 || kind < 2;
  if (kind >= 2) {
    if (!texts.length && (only ? !name || name === only.name : controls.length && !name && kind === 2)) return true;
    return role === "generic" && !name && !el.firstElementChild && !texts.length && !controls.length && kind < 3;
  }
  if (CELLS.has(role)) {
    if (texts.length || name) return controls.length > 0 || texts.length > 1;
    return controls.length > 0 || !painted(el, item.style, item.rect);
  }
  if (role === "heading") return only !== null && only.name === name;
  if (role === "img" && tag !== "img") return controls.length > 0 || texts.length > 0;
  return role === "generic";
}

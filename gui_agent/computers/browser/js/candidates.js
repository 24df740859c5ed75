// Which elements are things to operate or to read, and what of them stays on the list.

const POINTABLE = new Set(["ul", "ol", "table", "tbody", "thead", "tr", "dl", "body", "html", "svg", "g", "form", "fieldset"]);

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
  else if (!c.pointer && style.cursor === "pointer" && !POINTABLE.has(tag)) kind = 2;
  else if (TOLD.has(role) || CELLS.has(role)) kind = 1;
  else if (vector ? SHAPES.has(tag) || tag === "image" || tag === "use" : tag === "svg") kind = 1;
  else if (scrolls(el, style)) kind = 1;
  else if (!el.firstElementChild && !vector && painted(el, style, rect)) kind = 1;
  if (!kind) return null;
  if (tag === "label" && kind < 4 && el.control) return null;
  if (tag === "input" && el.type === "hidden") return null;
  let box = meet(rect, clip);
  if (vector) box = meet(thickened(rect, style), clip);
  if (isThin(box)) return PROXIED.has(el.type) && tag === "input" ? unseenField(el, tag, frame, c, style, rect, clip, role) : null;
  return {
    el, key: el, frame, rect: box, role: isEditable(el) && role === "generic" ? "textbox" : role, tag, style, kind,
    control: kind >= 2, name: "", scrolls: scrolls(el, style), deaf: style.pointerEvents === "none",
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
  if (el.localName === "hr" || el.localName === "label" || /\S/.test(el.textContent)) return false;
  const w = rect[2] - rect[0];
  const h = rect[3] - rect[1];
  if (w < 5 || h < 5 || w * h > 0.3 * innerWidth * innerHeight) return false;
  if (style.backgroundImage !== "none" || colourName(style.backgroundColor)) return true;
  if (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0) return true;
  const drawn = (which) => !/^(none|normal|"\s*")$/.test(getComputedStyle(el, which).content);
  return drawn("::before") || drawn("::after");
}

// Decides on an item when all in it is known: names it, drops it or the texts that only repeat its name.
function settleItem(item, first) {
  const { el, tag, role, kind } = item;
  let texts = 0;
  let controls = 0;
  let only = null;
  for (let i = first; i < items.length; i++) {
    const inner = items[i];
    if (inner.dropped) continue;
    if (inner.role === "text") texts++;
    else if (inner.control || inner.apart) {
      controls++;
      only = inner;
    }
  }
  const labelled = kind === 4 || TOLD.has(role) || NAMED_BY_CONTENT.has(role);
  item.name = labelled ? nameOf(el, role, tag) : labelledName(el) || nativeName(el, tag);
  const read = items.slice(first).filter((inner) => inner.role === "text" && !inner.dropped);
  if (!item.name && kind >= 2 && !item.scrolls && texts) item.name = short(read.map((inner) => inner.name).join(" "), 120);
  if (!item.name && !labelled) item.name = lastResort(el);
  if (isWrapper(item, texts, controls, only)) {
    item.dropped = true;
    return;
  }
  if (CELLS.has(role) && kind < 2 && texts > 1) {
    item.dropped = true;
    return;
  }
  if (role === "heading" && controls === 1 && only.name === item.name) {
    item.dropped = true;
    return;
  }
  for (const inner of read) {
    if (inner.name === item.name || kind === 4 && inner.role === "text" && item.name.length <= 80 && item.name.includes(inner.name)) {
      inner.dropped = true;
    }
  }
}

function isWrapper(item, texts, controls, only) {
  const { role, kind, el } = item;
  if (item.scrolls) return false;
  if (kind === 4) return false;
  if (kind >= 2) {
    if (controls === 1 && texts === 0 && (!item.name || item.name === only.name)) return true;
    return role === "generic" && controls === 0 && texts === 0 && !el.firstElementChild && !item.name && isBlank(item);
  }
  if (role === "generic" || CELLS.has(role)) {
    if (item.tag === "svg") return items[items.length - 1] !== item;
    if (SHAPES.has(item.tag)) return false;
    if (CELLS.has(role) && (texts || item.name)) return controls > 0;
    return controls > 0 || texts > 0 || !painted(el, item.style, item.rect);
  }
  return role === "img" && controls > 0;
}

function isBlank(item) {
  return !painted(item.el, item.style, item.rect) && item.kind < 3;
}

// Selects operable and readable elements, and decides which of their parts stay on the list.

const POINTABLE = new Set(["ul", "ol", "table", "tbody", "thead", "tr", "dl", "body", "html", "svg", "g", "form", "fieldset"]);

const ROWS = new Set(["li", "td", "dt", "dd"]);
const HOLDERS = new Set(
  ("menu menubar tablist tree grid treegrid list group region dialog alertdialog form main navigation tabpanel " +
    "toolbar radiogroup table rowgroup document application").split(" "),
);

// An item for the element, or null if only its text and children matter.
function candidate(spot) {
  const { el, tag, style, frame, c } = spot;
  if (tag === "html" || (tag === "input" && el.type === "hidden")) return null;
  if (tag === "body") {  // the document of an editor, all of it
    return isEditable(el) ? { el, key: el, frame, rect: spot.clip, role: "textbox", tag, style, kind: 4, control: true, name: "" } : null;
  }
  if (!spot.visible || spot.ghost) return tag === "input" ? unseenField(spot) : null;
  const role = roleOf(el, tag);
  const vector = el.ownerSVGElement;
  if (vector && c.owner && c.owner.kind >= 2) return null;
  const rolls = scrolls(el, style);
  let kind = kindOf(spot, role, vector, rolls);
  const bare = kind < 3 && role === "generic" && !vector && !el.firstElementChild && painted(spot);
  if (bare && !kind) kind = 1;
  if (!kind || tag === "label" && kind < 4 && el.control) return null;
  const deaf = style.pointerEvents === "none";
  if (deaf && (kind === 2 || kind === 3)) return null;
  const rect = meet(vector ? thickened(rectAt(spot), style) : rectAt(spot), spot.clip);
  if (isThin(rect)) return tag === "input" ? unseenField(spot) : null;
  const drawn = bare || tag === "svg" || vector && !LETTERS.has(tag);
  const told = role !== "generic" ? role : isEditable(el) ? "textbox" : SPLITTING.test(style.cursor) ? "separator" : drawn ? "img"
    : kind > 1 && isWholeHead(el) ? "columnheader" : role;
  return { el, key: el, frame, rect, role: told, tag, style, kind, control: kind >= 2, name: "", scrolls: rolls, deaf };
}

// Whether it is the entire content of a column header: grids put their clickable element there.
function isWholeHead(el) {
  const head = el.closest("[role=columnheader]");
  return head !== null && tidy(head.textContent) === tidy(el.textContent);
}

const LETTERS = new Set(["text", "g", "tspan"]);

// 4 native or ARIA controls, 3 explicit hints, 2 a hand pointer, 1 something visible, 0 nothing of its own.
function kindOf(spot, role, vector, rolls) {
  const { el, tag, style, c } = spot;
  if (OPERABLE.has(role) || isEditable(el)) return 4;
  if (el.hasAttribute("onclick") || el.hasAttribute("tabindex") && el.tabIndex >= 0) return 3;
  if (isDraggable(el, style)) return 3;
  if (style.cursor === "pointer" && !POINTABLE.has(tag)) {
    if (ROWS.has(tag) || !c.style || c.style.cursor !== "pointer" || c.el && POINTABLE.has(c.el.localName)) return 2;
  }
  if (TOLD.has(role) || CELLS.has(role) || rolls) return 1;
  return (vector ? SHAPES.has(tag) || tag === "image" || tag === "use" : tag === "svg") ? 1 : 0;
}

const isDraggable = (el, style) => el.getAttribute("draggable") === "true" || MOVING.test(style.cursor)
  || DRAGGED.test(el.getAttribute("class") || "");
const MOVING = /^(move|grab|grabbing|[a-z]+-resize)$/;
const SPLITTING = /^(col|row|ew|ns)-resize$/;
const DRAGGED = /(^|[\s-])(draggable|sortable-handle|resizable-handle|drag-handle)/;

// A field that is invisible: it lies transparent over what is drawn, or its label stands for it.
function unseenField(spot) {
  const { el, tag, frame, style } = spot;
  const list = el.getAttribute("role") === "combobox" || el.readOnly && el.hasAttribute("aria-haspopup");
  if (!PROXIED.has(el.type) && !list || truth(el, "aria-hidden") || el.type === "range" && !spot.visible) return null;
  const rect = meet(rectAt(spot), spot.clip);
  if (spot.visible && !isThin(rect, 6) && under(frame, (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2) === el) {
    const role = roleOf(el, tag);
    const item = { el, key: el, frame, rect, role, tag, style, kind: 4, control: true, name: "" };
    if (list && !el.value) item.value = shownValue(el);
    return item;
  }
  const before = items.length;
  proxied(el, frame, spot.c, spot.visible && (!spot.c.ghost || isThin(rectOf(spot.c.el), 6)));
  return items.length > before ? items.pop() : null;
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
function painted(spot) {
  const { el, tag, style } = spot;
  if (tag === "hr" || tag === "label") return false;
  if (/\S/.test(el.textContent)) return style.backgroundImage !== "none"; // a word moved out of sight behind an icon
  const [left, top, right, bottom] = rectAt(spot);
  const w = right - left;
  const h = bottom - top;
  if (w < 5 || h < 5 || w * h > 0.3 * innerWidth * innerHeight) return false;
  if (style.content.startsWith("url")) return true;
  if (style.backgroundImage !== "none" || colourName(style.backgroundColor)) return true;
  if (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0) return true;
  const drawn = (which) => !/^(none|normal|"\s*")$/.test(getComputedStyle(el, which).content);
  return drawn("::before") || drawn("::after");
}

// Decides on an item once its content is known: names it, drops it or the texts that only repeat its name.
function settleItem(item, first) {
  const inner = items.slice(first).filter((one) => !one.dropped);
  const controls = inner.filter((one) => one.control || one.apart);
  const nested = controls.find((one) => one.role === item.role && one.tag === item.tag);
  const rows = nested && (item.kind === 2 || item.role === "treeitem");
  const texts = inner.filter((one) => one.role === "text" && !(rows && nested.el.parentNode.contains(one.el)));
  if (becomesOpener(item, texts, controls)) return;
  nameItem(item, texts, rows);
  if (rows && !item.name) {
    const first = inner.find((one) => one.name && !nested.el.parentNode.contains(one.el));
    if (first) item.name = first.name;
  }
  if (rows) keepOwnRow(item, nested);
  if (item.kind === 4) mergeInner(item, inner, controls);
  if (item.dropped || isNeedless(item, texts, controls)) {
    item.dropped = true;
    return;
  }
  for (const text of texts) {
    const told = text.name === item.name || item.kind === 4 && item.name.length <= 80 && item.name.includes(text.name);
    if (told) text.dropped = true;
  }
}

// A cell whose only text shows more controls while the mouse is over it is that text: a point elsewhere in the cell
// would open nothing.
function becomesOpener(item, texts, controls) {
  const [text] = texts;
  if (!CELLS.has(item.role) || item.kind >= 2 || texts.length !== 1 || controls.length || text.el === item.el) return false;
  if (!Array.from(item.el.querySelectorAll(HIDDEN_CONTROLS)).some((one) => !one.checkVisibility({ visibilityProperty: true }))) return false;
  text.dropped = true;
  Object.assign(item, {
    el: text.el, key: text.el, rect: text.rect, style: text.style, tag: text.el.localName, role: "generic", kind: 2, control: true, name: text.name, opens: true,
  });
  return true;
}
const HIDDEN_CONTROLS = "a,button,[role=menuitem],[role=button],[onclick]";

// A control around a link of the same name, or around its icon, is one element; around a button of that name, two
// elements for the same, of which the inner one is pressed.
function mergeInner(item, inner, controls) {
  for (const one of inner) if (one.role === "img" && !one.name && one.kind < 4) one.dropped = true;
  if (item.role === "treeitem") for (const one of controls) if (one.name === item.name && one.kind < 4) one.dropped = true;
  const twice = item.role === "combobox" && !item.name && controls.some((one) => one.role === "combobox" && one.name);
  if (twice) item.dropped = true; // the wrapper has the same name
  if (controls.length !== 1 || controls[0].name !== item.name || controls[0].role === item.role) return;
  if (controls[0].role === "link" || controls[0].kind < 4) controls[0].dropped = true;
  else if (controls[0].role === "button" && item.tag !== "label") item.dropped = true;
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

// A tree row that contains the rows below it: its own box ends where those begin.
function keepOwnRow(item, nested) {
  const top = nested.rect[1];
  if (nested.frame === item.frame && top > item.rect[1] + 2) item.rect = [item.rect[0], item.rect[1], item.rect[2], Math.min(top, item.rect[3])];
}

// Whether an item adds nothing to its content: wrappers, empty boxes, cells full of controls.
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
    return controls.length > 0 || !painted(item);
  }
  if (role === "heading") return only !== null && only.name === name;
  if (role === "img" && tag !== "img") return controls.length > 0 || texts.length > 0;
  return role === "generic";
}

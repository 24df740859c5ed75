// Frames, rectangles and hit tests. A rectangle is [left, top, right, bottom] in CSS pixels of its own frame.

// A form field's name can shadow a form's property, so these are read in another way.
const getter = (kind, name) => {
  const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
  return (node) => get.call(node);
};
const parentOf = getter(Node, "parentNode");
const textOf = getter(Node, "textContent");

const meet = (a, b) => [
  Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3]),
];
const around = (a, b) => [
  Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3]),
];
const isThin = (r, least = 1.5) => r[2] - r[0] < least || r[3] - r[1] < least;
const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

function rectOf(thing) {
  const box = thing.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
}

// The frame that a walk starts in. `content` is its viewport's box in the picture, in CSS pixels of
// the page's top frame; without it the frame is the top frame.
function rootFrame(win, view) {
  const own = [0, 0, win.innerWidth, win.innerHeight];
  const lens = win.visualViewport;
  const zoom = lens ? lens.scale : 1;
  const frame = {
    win, doc: win.document, parent: null, owner: null, path: view ? view.path : "", view: own,
    kx: zoom, ky: zoom, dx: 0, dy: 0, shadows: false, lifted: [],
  };
  if (view) {
    place(frame, view.content, own);
    frame.view = meet(own, into(frame, view.clip));
  } else if (lens) {
    frame.dx = -lens.offsetLeft * zoom;
    frame.dy = -lens.offsetTop * zoom;
    frame.view = meet(own, [
      lens.offsetLeft, lens.offsetTop,
      lens.offsetLeft + own[2] / zoom, lens.offsetTop + own[3] / zoom,
    ]);
  }
  return frame;
}

function place(frame, content, own) {
  frame.kx = own[2] ? (content[2] - content[0]) / own[2] : 1;
  frame.ky = own[3] ? (content[3] - content[1]) / own[3] : 1;
  frame.dx = content[0];
  frame.dy = content[1];
}

const into = (frame, r) => [
  (r[0] - frame.dx) / frame.kx, (r[1] - frame.dy) / frame.ky,
  (r[2] - frame.dx) / frame.kx, (r[3] - frame.dy) / frame.ky,
];
const outOf = (frame, r) => [
  r[0] * frame.kx + frame.dx, r[1] * frame.ky + frame.dy,
  r[2] * frame.kx + frame.dx, r[3] * frame.ky + frame.dy,
];

// The box of an <iframe>'s content in its parent frame: inside border and padding, including transforms.
function contentOf(owner, rect, style) {
  const kx = owner.offsetWidth ? (rect[2] - rect[0]) / owner.offsetWidth : 1;
  const ky = owner.offsetHeight ? (rect[3] - rect[1]) / owner.offsetHeight : 1;
  const left = rect[0] + (owner.clientLeft + parseFloat(style.paddingLeft)) * kx;
  const top = rect[1] + (owner.clientTop + parseFloat(style.paddingTop)) * ky;
  const width = owner.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = owner.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  return [left, top, left + width * kx, top + height * ky];
}

function childFrame(owner, parent, content, clip) {
  const win = owner.contentWindow;
  const own = [0, 0, win.innerWidth, win.innerHeight];
  const frame = {
    win, doc: owner.contentDocument, parent, owner, path: parent.path + frameStep(owner) + ">", view: own,
    kx: 1, ky: 1, dx: 0, dy: 0, shadows: false, lifted: [],
  };
  place(frame, outOf(parent, content), own);
  frame.view = meet(own, into(frame, outOf(parent, clip)));
  return frame;
}

// The deepest element at a point of one frame, through open shadow roots.
function under(frame, x, y) {
  let hit = frame.doc.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner.getRootNode() !== hit.shadowRoot) break;
    hit = inner;
  }
  // the space below an editor's last line belongs to the editor
  if (hit && hit === frame.doc.documentElement && frame.doc.body && isEditable(frame.doc.body)) return frame.doc.body;
  // An image map's area has no box of its own.
  if (hit && hit.localName === "area" && hit.closest("map")) {
    return frame.doc.querySelector('img[usemap="#' + CSS.escape(hit.closest("map").name) + '"]') || hit;
  }
  return hit;
}

const above = (node) => node.assignedSlot || parentOf(node) || node.host || null;

// Whether `inner` is `outer` or inside it, as drawn: through slots and shadow hosts.
function within(outer, inner, shadows) {
  if (outer.contains(inner)) return true;
  if (!shadows) return false;
  for (let node = inner; node; node = above(node)) if (node === outer) return true;
  return false;
}

// Whether a click at the point of `frame` reaches the element, or a label that passes the click on to it.
function reaches(el, frame, x, y) {
  const hit = under(frame, x, y);
  if (!hit || !seenThrough(frame, x, y)) return false;
  if (within(el, hit, frame.shadows)) return true;
  if (el.localName === "option") return hit.localName === "select" && hit.contains(el);
  if (el.labels) for (const label of el.labels) if (within(label, hit, frame.shadows)) return true;
  return false;
}

function seenThrough(frame, x, y) {
  for (let inner = frame; inner.parent; inner = inner.parent) {
    const [px, py] = into(inner.parent, outOf(inner, [x, y, x, y]));
    if (under(inner.parent, px, py) !== inner.owner) return false;
    x = px;
    y = py;
  }
  return true;
}

// The part of `rect` whose centre receives a click for `el`, or null if it is covered. For an element that wraps onto
// several lines, the largest line: the centre of all of them may lie between two.
function freePart(el, frame, rect) {
  const lines = el.getClientRects && el.localName !== "select" ? el.getClientRects() : [];
  const parts = lines.length < 2 ? [rect]
    : Array.from(lines, (b) => meet([b.left, b.top, b.right, b.bottom], rect)).filter((r) => !isThin(r))
      .sort((a, b) => (b[2] - b[0]) * (b[3] - b[1]) - (a[2] - a[0]) * (a[3] - a[1]));
  return parts.find((r) => reaches(el, frame, (r[0] + r[2]) / 2, (r[1] + r[3]) / 2)) || freeCells(el, frame, rect);
}

// Divides the rectangle into cells, tests each, and joins free ones to the largest rectangle with a free centre.
function freeCells(el, frame, [left, top, right, bottom]) {
  const columns = right - left > 12 ? 5 : 3;
  const rows = bottom - top > 12 ? 5 : 3;
  const w = (right - left) / columns;
  const h = (bottom - top) / rows;
  const free = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      free.push(reaches(el, frame, left + (column + 0.5) * w, top + (row + 0.5) * h));
    }
  }
  if (!free.includes(true)) return null;
  const choices = [];
  for (let a = 0; a < rows; a++) for (let b = a; b < rows; b++) {
    for (let c = 0; c < columns; c++) for (let d = c; d < columns; d++) {
      choices.push([(b - a + 1) * (d - c + 1), a, b, c, d]);
    }
  }
  choices.sort((p, q) => q[0] - p[0]);
  for (const [, a, b, c, d] of choices) {
    let all = true;
    for (let row = a; all && row <= b; row++) {
      for (let column = c; all && column <= d; column++) all = free[row * columns + column];
    }
    if (!all) continue;
    const part = [left + c * w, top + a * h, left + (d + 1) * w, top + (b + 1) * h];
    if (reaches(el, frame, (part[0] + part[2]) / 2, (part[1] + part[3]) / 2)) return part;
  }
  return null;
}

// Whether something is drawn over a text: only checked if a positioned box crosses it.
function textIsFree(el, frame, rect) {
  const y = (rect[1] + rect[3]) / 2;
  for (const share of [0.5, 0.15, 0.85]) {
    const x = rect[0] + (rect[2] - rect[0]) * share;
    const hit = under(frame, x, y);
    if (!hit) continue;
    if ((within(el, hit, frame.shadows) || within(hit, el, frame.shadows)) && seenThrough(frame, x, y)) {
      return true;
    }
  }
  return false;
}

// The walk over the flat tree of one frame and the frames in it: collects what may go on the list.

const SKIPPED = new Set(
  "script style template noscript head meta link title base br wbr datalist source track param defs symbol clippath mask lineargradient radialgradient filter marker pattern metadata desc".split(" "),
);
const CLOSED = new Set("textarea input select canvas img video audio progress meter object embed iframe frame".split(" "));
const PROXIED = new Set(["checkbox", "radio", "file"]);
const MANY = 5000;

let items;
let run;
let range;
let apart;
let active;
let large;

function startWalk(frame) {
  items = [];
  run = null;
  apart = [];
  walkFrame(frame);
  return items;
}

function walkFrame(frame) {
  const root = frame.doc.documentElement;
  if (!root || isThin(frame.view)) return null;
  range = frame.doc.createRange();
  active = focusOf(frame.doc);
  large = frame.doc.getElementsByTagName("*").length > MANY;
  const extent = walk(root, frame, {
    el: null, up: null, position: "static", style: null, clip: frame.view, ghost: false, deaf: false, pointer: false,
    owner: null, block: root, shown: true,
  });
  flush();
  return extent;
}

function focusOf(doc) {
  let el = doc.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return el === doc.body ? null : el;
}

// Visits one element and what is in it. Returns the rectangle around all it added, or null.
function walk(el, frame, c) {
  const tag = el.localName;
  if (SKIPPED.has(tag)) {
    if (tag === "br") flush();
    return null;
  }
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === "none") return tag === "input" && PROXIED.has(el.type) ? proxied(el, frame, c) : null;
  const inline = display === "inline" || display === "contents";
  if (!inline) flush();
  const rect = rectOf(el);
  const visible = style.visibility === "visible";
  const ghost = style.opacity === "0";
  const seen = !c.ghost && visible && !ghost;
  const position = style.position;
  const clip = position === "absolute" || position === "fixed" ? clipOf(position, c) : c.clip;
  if (large && !inline && farOff(el, rect, clip)) return null;
  const deaf = style.pointerEvents === "none";
  if (position !== "static" && seen && !deaf) frame.lifted.push({ el, rect });

  const item = tag === "form" ? null : seen || tag === "input" || tag === "select" ? candidate(el, tag, frame, c, style, rect, clip, seen) : null;
  if (item) {
    flush();
    items.push(item);
  }
  const first = items.length;
  const own = item ? outOf(frame, item.rect) : null;
  let extent = own;
  if (tag === "iframe" || tag === "frame") extent = enter(el, frame, style, rect, clip) || own;
  else if (!CLOSED.has(tag) && style.contentVisibility !== "hidden") {
    const inner = inside(el, tag, c, style, { rect, clip, inline, position, visible, ghost, deaf, item });
    const found = children(el, frame, inner);
    if (found) extent = extent ? around(extent, found) : found;
  } else if (tag === "select" && (item && item.role === "listbox")) listOptions(el, frame, item.rect);
  if (item || !inline) flush();
  if (item) settleItem(item, first);
  return extent;
}

// An absolute or fixed element is clipped by what contains it for layout, not by all that stand around it.
function clipOf(position, c) {
  for (let around_ = c; around_.el; around_ = around_.up) {
    if (position === "absolute" && around_.position !== "static") return around_.clip;
    if (around_.style.transform !== "none") return around_.clip;
    if (!around_.up.el) return around_.up.clip;
  }
  return c.clip;
}

// What the children of an element inherit: clip, invisibility, the pointer, the control they are in.
function inside(el, tag, c, style, own) {
  const ghost = c.ghost || own.ghost;
  let clip = own.clip;
  if (!own.inline && tag !== "html" && tag !== "body" && style.overflow !== "visible") {
    const kx = el.offsetWidth ? (own.rect[2] - own.rect[0]) / el.offsetWidth : 1;
    const ky = el.offsetHeight ? (own.rect[3] - own.rect[1]) / el.offsetHeight : 1;
    const left = own.rect[0] + el.clientLeft * kx;
    const top = own.rect[1] + el.clientTop * ky;
    clip = meet(clip, [left, top, left + el.clientWidth * kx, top + el.clientHeight * ky]);
  }
  return {
    el, up: c, position: own.position, style, clip, ghost, deaf: own.deaf,
    pointer: c.pointer || style.cursor === "pointer", owner: own.item || c.owner, block: own.inline ? c.block : el,
    shown: !ghost && own.visible,
  };
}

function farOff(el, rect, clip) {
  return rect[2] - rect[0] > 0 && rect[3] - rect[1] > 0
    && (rect[1] > clip[3] + 100 || rect[3] < clip[1] - 100)
    && el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1;
}

// Visits the children and, where the page is drawn in another order than it is written, reorders their items.
function children(el, frame, c) {
  let nodes = nodesOf(el);
  if (el.shadowRoot) {
    frame.shadows = true;
    nodes = el.shadowRoot.childNodes;
  } else if (el.localName === "slot") {
    const given = el.assignedNodes();
    if (given.length) nodes = given;
  }
  const closed = el.localName === "details" && !el.open;
  const groups = [];
  const record = c.block === el && isRecord(el, c.style);
  let extent = null;
  for (let node = nodes[0], i = 0; node; node = nodes[++i]) {
    const start = items.length;
    let found = null;
    if (node.nodeType === 3) {
      if (!closed) addText(node, frame, c);
    }
    else if (node.nodeType === 1) {
      if (closed && node.localName !== "summary") continue;
      if (record && run && (run.gap || /\s$/.test(run.text) || standsApart(node))) flush();
      found = walk(node, frame, c);
    }
    if (items.length > start) {
      let around_ = found;
      for (let k = start; k < items.length; k++) {
        const r = items[k].outer || (items[k].outer = outOf(items[k].frame, items[k].rect));
        around_ = around_ ? around(around_, r) : r;
      }
      groups.push({ start, end: items.length, rect: around_ });
      extent = extent ? around(extent, around_) : around_;
    }
  }
  if (run && groups.length) {
    const start = items.length;
    flush();
    if (items.length > start) {
      const rect = outOf(frame, items[start].rect);
      groups.push({ start, end: items.length, rect });
      extent = around(extent, rect);
    }
  }
  if (groups.length > 1) reorder(groups);
  return extent;
}

// Whether a block is a line of fields, such as name, user and time, and not a sentence: nothing but inline elements.
function isRecord(el, style) {
  const count = childrenOf(el).length;
  if (count < 2 || count > 12) return false;
  for (const node of nodesOf(el)) {
    if (node.nodeType === 3 && /\S/.test(node.nodeValue)) return false;
  }
  return !style.whiteSpaceCollapse.startsWith("preserve");
}

function standsApart(next) {
  const last = run.nodes[run.nodes.length - 1];
  range.selectNodeContents(last);
  return Math.abs(next.getBoundingClientRect().left - range.getBoundingClientRect().right) > 2;
}

function addText(node, frame, c) {
  if (!c.shown) return;
  const raw = node.nodeValue;
  if (!/\S/.test(raw)) {
    if (run && raw) run.gap = true;
    return;
  }
  const text = transformed(raw, c.style.textTransform);
  if (run && run.frame === frame) {
    run.text += (run.gap ? " " : "") + text;
    run.nodes.push(node);
    if (run.el !== node.parentNode) run.el = c.block;
    run.gap = false;
  } else {
    flush();
    run = { nodes: [node], text, el: node.parentNode, frame, clip: c.clip, style: c.style, gap: false, deaf: c.deaf };
  }
}

// Ends the run of text that is being gathered and puts it on the list when any of it is in sight.
function flush() {
  if (!run) return;
  const done = run;
  run = null;
  const last = done.nodes[done.nodes.length - 1];
  if (done.nodes.length === 1) range.selectNodeContents(last);
  else {
    range.setStart(done.nodes[0], 0);
    range.setEnd(last, last.length);
  }
  const rect = meet(rectOf(range), done.clip);
  if (isThin(rect)) return;
  const name = tidy(done.text);
  if (!name) return;
  items.push({
    el: done.el, key: done.nodes[0], nodes: done.nodes, frame: done.frame, rect, role: "text", tag: done.el.localName,
    name, style: done.style, deaf: done.deaf,
  });
}

// Goes into a frame of the same origin; one of another origin is put aside for the caller to ask.
function enter(el, frame, style, rect, clip) {
  const content = contentOf(el, rect, style);
  const seen = meet(content, clip);
  if (isThin(seen) || style.visibility !== "visible") return null;
  let doc = null;
  try {
    doc = el.contentDocument;
  } catch (error) {
    doc = null;
  }
  if (!doc) {
    const path = frame.path + frameStep(el) + ">";
    apart.push({ el, view: { content: outOf(frame, content), clip: outOf(frame, seen), path } });
    items.push({ el, key: el, frame, rect: seen, role: "iframe", tag: el.localName, apart: apart.length, name: "" });
    return outOf(frame, seen);
  }
  const kept = [range, active, large];
  const extent = walkFrame(childFrame(el, frame, content, seen));
  [range, active, large] = kept;
  return extent;
}

function listOptions(select, frame, clip) {
  for (const option of select.options) {
    const rect = meet(rectOf(option), clip);
    if (isThin(rect)) continue;
    const style = getComputedStyle(option);
    items.push({ el: option, key: option, frame, rect, role: "option", tag: "option", control: true, style, name: nameOf(option, "option", "option"), kind: 4 });
  }
}

// A native checkbox, radio button or file field that is hidden behind its label: the label is where to click.
function proxied(el, frame, c) {
  if (c.ghost || !el.labels) return null;
  for (const label of el.labels) {
    const rect = meet(rectOf(label), c.clip);
    if (isThin(rect)) continue;
    flush();
    const item = {
      el, key: el, frame, rect, role: roleOf(el, "input"), tag: "input", control: true, style: getComputedStyle(el),
      name: nameOf(el, roleOf(el, "input"), "input"), kind: 4, stand: label,
    };
    items.push(item);
    return outOf(frame, rect);
  }
  return null;
}

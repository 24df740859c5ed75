// Walks the flat tree of one frame and the frames in it, and collects the candidates for the list.

const SKIPPED = new Set(
  "script style template noscript head meta link title base br wbr datalist source track param defs symbol clippath mask lineargradient radialgradient filter marker pattern metadata desc".split(" "),
);
const CLOSED = new Set("textarea input select canvas img video audio progress meter object embed iframe frame".split(" "));
const PROXIED = new Set(["checkbox", "radio", "file", "range"]);
const MANY = 5000;

let items;
let run;
let range;
let apart;
let fault;
let large;

function startWalk(frame) {
  items = [];
  run = null;
  apart = [];
  fault = "";
  walkFrame(frame);
  return items;
}

function walkFrame(frame) {
  const root = frame.doc.documentElement;
  if (!root || isThin(frame.view)) return null;
  range = frame.doc.createRange();
  large = frame.doc.getElementsByTagName("*").length > MANY;
  const extent = walk(root, frame, {
    el: null, up: null, position: "static", style: null, clip: frame.view, ghost: false, owner: null, block: root,
    shown: true,
  });
  flush();
  return extent;
}

function focusOf(doc) {
  let el = doc.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return el && (el !== doc.body || isEditable(el)) ? el : null;
}

// Visits one element and its content. Returns the rectangle around everything it added, or null.
function walk(el, frame, c) {
  const tag = el.localName;
  if (SKIPPED.has(tag)) {
    if (tag === "br") flush();
    return null;
  }
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === "none") return tag === "input" && PROXIED.has(el.type) ? proxied(el, frame, c, false) : null;
  const inline = display === "inline" || display === "contents";
  const breaks = !inline || tag === "output" || el.hasAttribute("aria-labelledby");
  if (breaks) flush();
  const position = style.position;
  const visible = style.visibility === "visible";
  const ghost = c.ghost || style.opacity < 0.01;
  const clip = position === "absolute" || position === "fixed" ? clipOf(position, c) : c.clip;
  const spot = { el, tag, style, frame, c, clip, inline, position, visible, ghost, rect: null };
  if (large && !inline && farOff(spot)) return null;
  if (position !== "static" && visible && !ghost && style.pointerEvents !== "none") frame.lifted.push({ el, rect: rectAt(spot) });

  const item = tag === "form" ? null : candidate(spot);
  if (item) {
    flush();
    items.push(item);
  }
  const first = items.length;
  let extent = item ? outOf(frame, item.rect) : null;
  if (tag === "iframe" || tag === "frame") extent = enter(spot) || extent;
  else if (!CLOSED.has(tag)) {
    const found = children(el, frame, inside(spot, item));
    if (found) extent = extent ? around(extent, found) : found;
  } else if (item && item.role === "listbox") listOptions(el, frame, item.rect);
  if (item || breaks) flush();
  if (item) settleItem(item, first);
  return extent;
}

const rectAt = (spot) => spot.rect || (spot.rect = rectOf(spot.el));

// An absolute or fixed element is clipped by its containing block, not by all of its ancestors.
function clipOf(position, c) {
  for (let around_ = c; around_.el; around_ = around_.up) {
    if (position === "absolute" && around_.position !== "static") return around_.clip;
    if (around_.style.transform !== "none") return around_.clip;
    if (!around_.up.el) return around_.up.clip;
  }
  return c.clip;
}

// The context for an element's children: clip, invisibility, the control they are in.
function inside(spot, item) {
  const { el, tag, style, c, inline, ghost } = spot;
  let clip = spot.clip;
  if (!inline && tag !== "html" && tag !== "body" && style.overflow !== "visible" && !el.ownerSVGElement) {
    const rect = rectAt(spot);
    const kx = el.offsetWidth ? (rect[2] - rect[0]) / el.offsetWidth : 1;
    const ky = el.offsetHeight ? (rect[3] - rect[1]) / el.offsetHeight : 1;
    const left = rect[0] + el.clientLeft * kx;
    const top = rect[1] + el.clientTop * ky;
    clip = meet(clip, [left, top, left + el.clientWidth * kx, top + el.clientHeight * ky]);
  }
  return {
    el, up: c, position: spot.position, style, clip, ghost, owner: item || c.owner, block: inline ? c.block : el,
    shown: !ghost && spot.visible,
  };
}

function farOff(spot) {
  const { el, clip } = spot;
  const rect = rectAt(spot);
  return rect[2] - rect[0] > 0 && rect[3] - rect[1] > 0
    && (rect[1] > clip[3] + 100 || rect[3] < clip[1] - 100)
    && el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1;
}

// Visits the children and reorders their items if they are drawn in another order than written.
function children(el, frame, c) {
  let node = el.firstChild;
  let given = null;
  if (el.shadowRoot) {
    frame.shadows = true;
    node = el.shadowRoot.firstChild;
  } else if (el.localName === "slot") {
    given = el.assignedNodes();
    if (given.length) node = given[0];
    else given = null;
  }
  const closed = el.localName === "details" && !el.open;
  const record = c.block === el && isRecord(el, c.style);
  const groups = [];
  let extent = null;
  for (let i = 1; node; node = given ? given[i++] : node.nextSibling) {
    const start = items.length;
    let rect = null;
    if (node.nodeType === 3) {
      if (!closed) addText(node, frame, c);
    } else if (node.nodeType === 1) {
      if (closed && node.localName !== "summary") continue;
      if (record && run && (run.gap || /\s$/.test(run.text) || standsApart(node))) flush();
      rect = visit(node, frame, c);
    }
    if (items.length === start) continue;
    for (let k = start; k < items.length; k++) {
      const outer = items[k].outer || (items[k].outer = outOf(items[k].frame, items[k].rect));
      rect = rect ? around(rect, outer) : outer;
    }
    groups.push({ start, end: items.length, rect });
    extent = extent ? around(extent, rect) : rect;
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

// Whether a block is a line of fields, such as name, user and time, and not a sentence: only inline elements.
function isRecord(el, style) {
  let count = 0;
  for (let node = el.firstChild; node; node = node.nextSibling) {
    if (node.nodeType === 1) count++;
    else if (node.nodeType === 3 && /\S/.test(node.nodeValue)) return false;
  }
  if (count < 2 || count > 12) return false;
  return !style.whiteSpaceCollapse.startsWith("preserve");
}

function standsApart(next) {
  const last = run.nodes[run.nodes.length - 1];
  range.selectNodeContents(last);
  return Math.abs(next.getBoundingClientRect().left - range.getBoundingClientRect().right) > 2;
}

// An element that causes a script error is skipped; the rest of the page is still useful.
function visit(el, frame, c) {
  try {
    return walk(el, frame, c);
  } catch (error) {
    fault = fault || el.localName + ": " + error.message;
    return null;
  }
}

function addText(node, frame, c) {
  if (!c.shown) return;
  const raw = node.nodeValue;
  if (!/\S/.test(raw)) {
    if (run && raw) run.gap = true;
    return;
  }
  const text = transformed(raw, c.style.textTransform);
  const el = node.parentElement || node.parentNode.host; // a shadow root is not an element
  if (run && run.frame === frame) {
    run.text += (run.gap ? " " : "") + text;
    run.nodes.push(node);
    if (run.el !== el) run.el = c.block;
    run.gap = false;
  } else {
    flush();
    run = { nodes: [node], text, el, frame, clip: c.clip, style: c.style, gap: false };
  }
}

// Ends the current run of text and adds it to the list if any of it is visible.
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
  if (!name || done.style.contentVisibility === "hidden" || !boxed(done.el).checkVisibility()) return;
  items.push({
    el: done.el, key: done.nodes[0], nodes: done.nodes, frame: done.frame, rect, role: "text", tag: done.el.localName,
    name, style: done.style,
  });
}

// The element that determines a text's box; one with `display: contents` has none, nor has a shadow root.
function boxed(el) {
  while (el.nodeType !== Node.ELEMENT_NODE || getComputedStyle(el).display === "contents") el = above(el);
  return el;
}

// Enters a frame of the same origin; the caller queries those of other origins.
function enter(spot) {
  const { el, frame, style, clip } = spot;
  const rect = rectAt(spot);
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
  const kept = [range, large];
  const extent = walkFrame(childFrame(el, frame, content, seen));
  [range, large] = kept;
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

// A native field that is hidden behind its label, or behind its stand-in.
function proxied(el, frame, c, drawn) {
  const place = inStead(el, frame, c, drawn);
  if (!place) return null;
  flush();
  const role = roleOf(el, "input");
  items.push({
    el, key: el, frame, rect: place.rect, role, tag: "input", control: true, style: getComputedStyle(el),
    name: nameOf(el, role, "input"), kind: 4, stand: place.el,
  });
  return outOf(frame, place.rect);
}

// The list itself: top elements in reading order, the most relevant ones if there are too many.

const numbers = new WeakMap();
const runs = new WeakMap();
const listed = new WeakMap();
const owners = new Map();
const birth = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
let count = 0;

// The number of an element that contains a frame, and the element of such a number.
function own(el) {
  const number = numberOf(el);
  owners.set(number, el);
  return number;
}
const owner = (number) => owners.get(number);

function numberOf(key) {
  let number = numbers.get(key);
  if (!number) {
    number = ++count;
    numbers.set(key, number);
    if (key.nodeType === 1) listed.set(key, number);
  }
  return number;
}

// Reorders the items of siblings row by row if they are drawn in another order than written.
function reorder(groups) {
  let sorted = true;
  for (let i = 1; sorted && i < groups.length; i++) {
    const a = groups[i - 1].rect;
    const b = groups[i].rect;
    const row = sameRow(a, b);
    if (row ? b[2] <= a[0] + 2 : b[3] <= a[1] + 2) sorted = false;
  }
  if (sorted) return;
  const byTop = groups.slice().sort((a, b) => a.rect[1] - b.rect[1]);
  const rows = [];
  for (const group of byTop) {
    const row = rows[rows.length - 1];
    if (row && sameRow(row.rect, group.rect)) {
      row.groups.push(group);
    } else rows.push({ rect: group.rect, groups: [group] });
  }
  const start = groups[0].start;
  const ordered = [];
  for (const row of rows) {
    row.groups.sort((a, b) => a.rect[0] - b.rect[0]);
    for (const group of row.groups) for (let i = group.start; i < group.end; i++) ordered.push(items[i]);
  }
  for (let i = 0; i < ordered.length; i++) items[start + i] = ordered[i];
}

function sameRow(a, b) {
  const common = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return common > 0.5 * Math.min(a[3] - a[1], b[3] - b[1]);
}

// Reduces an item to its uncovered part; false if nothing of it is on top.
function onTop(item) {
  const { frame, rect, el } = item;
  if (item.role === "text") {
    const across = (lift) => overlaps(lift.rect, rect) && !within(lift.el, el, frame.shadows);
    if (!frame.parent && !frame.lifted.some(across)) return true;
    return item.style.pointerEvents === "none" || textIsFree(el, frame, rect);
  }
  if (item.apart) return true;
  if (item.deaf) return item.control !== true || item.kind === 4;
  const part = freePart(item.stand || el, frame, rect) || behindStandIn(item);
  if (!part) return item.scrolls === true;
  item.rect = part;
  return true;
}

// The part of the stand-in for a native field that cannot be hit itself, such as one clipped to nothing.
function behindStandIn(item) {
  const { el, frame, tag, stand } = item;
  const box = el.parentElement;
  if (tag !== "input" || stand || !box || truth(el, "aria-hidden") || box.querySelectorAll(STOOD_FOR).length !== 1) return null;
  item.stand = box;
  return freePart(box, frame, meet(rectOf(box), [0, 0, frame.win.innerWidth, frame.win.innerHeight]));
}

function scoreOf(item) {
  if (item.apart) return 200;
  const base = item.kind === 4 ? 100 : item.kind >= 2 ? 85 : item.role === "heading" ? 70 : item.role === "text" ? 60 : 40;
  const r = outOf(item.frame, item.rect);
  const dx = Math.abs((r[0] + r[2]) / 2 / innerWidth - 0.5);
  const dy = Math.abs((r[1] + r[3]) / 2 / innerHeight - 0.5);
  return Math.round(base + (item.name ? 10 : 0) - 12 * (dx + dy));
}

// The list as JSON: {rows, apart, url, title, width, height, ratio, more, left, fault, document, clicks, unseen}; `document`
// identifies the document that the row numbers belong to, `clicks` counts the completed clicks in it.
function take(cap, view) {
  judged = new WeakMap(); // elements off the list were not judged
  found_ = new Map();
  const frame = rootFrame(window, (viewed = view));
  const ratio = view ? view.ratio : devicePixelRatio;
  startWalk(frame);
  let kept = withGroups(items.filter((item) => !item.dropped && onTop(item)));
  let left = 0;
  if (kept.length > cap) {
    for (const item of kept) item.score = scoreOf(item);
    const scores = kept.map((item) => item.score).sort((a, b) => b - a);
    const least = scores[cap - 1];
    let ties = cap - scores.filter((score) => score > least).length;
    left = kept.length - cap;
    kept = kept.filter((item) => item.score > least || (item.score === least && ties-- > 0));
  }
  const paths = new Map();
  const known = { labels: new Map(), headers: new Map() };
  const rows = kept.map((item) => row(item, ratio, paths, known));
  const answer = {
    rows, focus: focusRow(rows, ratio, paths, known), unseen: hasKeyboard(document) && !rows.some((one) => one[9].includes("focused")),
    apart: apart.map((one) => ({ id: own(one.el), view: { ...one.view, ratio } })),
    url: location.href, title: document.title, width: innerWidth, height: innerHeight, ratio, more: more(ratio), left, fault, document: birth,
    clicks, beyond: view ? [] : beyond(ratio, paths), words: !view && looked === clicks ? wordsOfPage() : "",
  };
  if (!view) looked = clicks;
  items = apart = run = null;
  return JSON.stringify(answer);
}

let looked = -1;

// All distinct words of a page that scrolls; none if part of it is closed to the script. Only reported if nothing
// was clicked since the last look, as during a search: on a long page they take longer than its list.
function wordsOfPage() {
  const root = document.scrollingElement || document.documentElement;
  if (!document.body || !items.some((item) => item.scrolls) && root.scrollHeight <= innerHeight + 1) return "";
  const all = document.getElementsByTagName("*");
  if (all.length > MOST_SEARCHED) return "";
  const said = [document.body.innerText];
  for (const el of all) {
    if (APART.test(el.localName)) return "";
    for (const name of NAMING) if (el.hasAttribute(name)) said.push(el.getAttribute(name));
    if (PRESSED.test(el.type)) said.push(el.value);
  }
  return [...new Set(said.join(" ").toLowerCase().split(/[^\p{L}\p{N}]+/u))].join(" ");
}
const APART = /-|^(i?frame|object|embed|canvas)$/;
const PRESSED = /^(submit|button|reset)$/;
const NAMING = ["aria-label", "aria-description", "title", "alt", "placeholder"];
const MOST_SEARCHED = 20000;

// The named controls above or below the visible part of the page, or of a box that scrolls by itself, as
// [role, name, box, path].
function beyond(ratio, paths) {
  const root = document.scrollingElement || document.documentElement;
  const boxes = items.filter((item) => item.scrolls && !item.frame.parent)
    .map((item) => ({ el: item.el, rect: item.el.getBoundingClientRect() }));
  if (!boxes.length && (!root || root.scrollHeight <= innerHeight + 1)) return [];
  const drawn = boxes.flatMap((one) => Array.from(one.el.querySelectorAll("*")).slice(0, MOST_DRAWN).filter(isDrawnControl));
  const scrolledOut = (el, r) => boxes.some((one) => (r.bottom <= one.rect.top || r.top >= one.rect.bottom) && one.el.contains(el));
  const found = [];
  for (const el of new Set([...document.querySelectorAll(CONTROLS), ...drawn])) {
    const own = el.getBoundingClientRect();
    const shown = own.width < 3 || own.height < 3 ? el.labels?.[0] : el; // a custom control draws its label instead
    const r = shown?.getBoundingClientRect();
    if (!r || r.width < 3 || r.height < 3 || r.bottom > 0 && r.top < innerHeight && !scrolledOut(shown, r)) continue;
    if (!shown.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || truth(el, "aria-hidden")) continue;
    const role = roleOf(el, el.localName);
    const name = nameOf(el, role, el.localName) || (drawn.includes(el) ? tidy(textOf(el)) : "");
    if (name) found.push([role, short(name, 80), [r.left, r.top, r.width, r.height].map((n) => Math.round(n * ratio)), pathOf(el, paths)]);
    if (found.length >= MOST_BEYOND) break;
  }
  return found;
}
const CONTROLS = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=tab]," +
  "[role=checkbox],[role=radio],[role=switch],[role=combobox],[role=textbox],[contenteditable=true]";
const MOST_BEYOND = 300;
const MOST_DRAWN = 1000;
const WAITING = /^(loading|please wait|wird geladen|bitte warten|chargement|cargando|caricamento)\W*$/i;

// A list entry whose only sign of a control is the hand pointer.
const isDrawnControl = (el) => !el.firstElementChild && /\S/.test(textOf(el)) && getComputedStyle(el).cursor === "pointer";

// The focused element if it is not on the list, as a row; the number of a frame of another origin that has the focus.
function focusRow(rows, ratio, paths, known) {
  const el = keyboardOf(document);
  if (!el || rows.some((one) => one[9].includes("focused"))) return null;
  if (el.localName === "iframe" || el.localName === "frame") return own(el);
  const tag = el.localName;
  const role = roleOf(el, tag);
  const frame = Object.assign(rootFrame(el.ownerDocument.defaultView, viewed), { focus: el });
  return row({ el, key: el, frame, rect: rectOf(el), role, tag, style: getComputedStyle(el), kind: 4, control: true, name: "" }, ratio, paths, known);
}

// Whether something in a document has the focus, through its frames; a frame of another origin may.
function hasKeyboard(doc) {
  const el = focusOf(doc);
  if (!el) return doc.designMode === "on";
  return el.contentDocument ? hasKeyboard(el.contentDocument) : true;
}

function row(item, ratio, paths, known) {
  const { el, key, role, tag, style, frame } = item;
  const r = outOf(frame, item.rect);
  const box = [Math.round(r[0] * ratio), Math.round(r[1] * ratio)];
  box.push(Math.max(1, Math.round(r[2] * ratio) - box[0]), Math.max(1, Math.round(r[3] * ratio) - box[1]));
  const number = numberOf(key);
  if (item.stand) standing.set(item.stand, el);
  const path = frame.path + pathOf(el, paths);
  if (item.apart) return [number, "iframe", nameOf(el, role, tag), ...box, path, "", [], "", { tag }, [], {}, 200];
  const score = item.score || scoreOf(item);
  if (role === "text") {
    for (const node of item.nodes) runs.set(node, number);
    const busy = closestOf(el, "[aria-busy=true]") || WAITING.test(item.name) ? ["busy"] : [];
    const attributes = textAttributes(el, tag, style);
    return [number, role, short(item.name, 4000), ...box, path, "", busy, "", attributes, valueLabels(el, known), labelFacts(el), score];
  }
  if (frame.focus === undefined) frame.focus = focusOf(frame.doc);
  const states = item.control || role !== "generic" ? statesOf(el, role, tag, frame.focus) : [];
  if (item.scrolls || tag === "textarea" && el.scrollHeight > el.clientHeight + 2) states.push("scrollable");
  if (item.opens) states.push("haspopup");
  const name = named(item, states);
  const operable = item.kind >= 2 || role === "img" || role === "heading" || role === "canvas";
  if (operable) judged.set(el, markOf(el, tag));
  return [
    number, role, name, ...box, path, item.value !== undefined ? item.value : item.control || role !== "generic" ? valueOf(el, role, tag) : "", states,
    descriptionOf(el, name), attributesOf(el, role, tag, style, name), valueLabels(el, known),
    operable ? doesOf(el, role, tag, name) : {}, score,
  ];
}

// The name of a control without one, or with only a placeholder, from its field; a focusable element that is not a
// control opens something there, and shows its value.
function named(item, states) {
  const { el, role, kind } = item;
  const name = item.name || (kind === 4 ? nameOf(el, role, item.tag) : "");
  const hinted = name && name === tidy(el.getAttribute("placeholder") || "");
  const opens = role === "generic" && (kind === 3 && el.tabIndex >= 0 || kind >= 2 && !/\S/.test(el.textContent));
  if (name && !hinted && !opens || !opens && !FIELDED.has(role)) return name;
  const label = fieldLabel(el);
  if (!label || label === name) return name;
  if (opens) {
    states.push("haspopup");
    if (name) item.value = name;
  }
  return label;
}
const FIELDED = new Set("slider combobox textbox searchbox spinbutton listbox switch button".split(" "));

function textAttributes(el, tag, style) {
  if (el.ownerSVGElement) return svgText(el, tag, style);
  const found = { tag };
  if (isVivid(style.color)) found.color = colourName(style.color);
  const notice = noticeOfText(el);
  if (notice) found.notice = notice;
  return found;
}

function svgText(el, tag, style) {
  const found = { tag, shape: "text", size: Math.round(parseFloat(style.fontSize)) + "px" };
  const named = colourName(style.fill);
  if (named) found.color = named;
  return found;
}

// `html/body/div[2]/a`: a step is numbered among siblings of the same tag when there is more than one.
function pathOf(el, paths) {
  let path = paths.get(el);
  if (path !== undefined) return path;
  const parent = parentOf(el);
  const tag = el.localName;
  if (!parent || parent.nodeType === 9) path = tag;
  else if (parent.nodeType === 11) path = (parent.host ? pathOf(parent.host, paths) + "/#/" : "") + tag;
  else {
    const base = pathOf(parent, paths) + "/";
    const count = {};
    for (let child = parent.firstElementChild; child; child = child.nextElementSibling) {
      count[child.localName] = (count[child.localName] || 0) + 1;
    }
    const index = {};
    for (let child = parent.firstElementChild; child; child = child.nextElementSibling) {
      const name = child.localName;
      index[name] = (index[name] || 0) + 1;
      paths.set(child, base + (count[name] > 1 ? name + "[" + index[name] + "]" : name));
    }
    path = paths.get(el);
  }
  paths.set(el, path);
  return path;
}

function frameStep(owner) {
  const all = owner.getRootNode().querySelectorAll(owner.localName);
  return owner.localName + (all.length > 1 ? "[" + (Array.prototype.indexOf.call(all, owner) + 1) + "]" : "");
}

// The remaining scroll distances of the page, or of the region that fills most of the window if the page cannot scroll.
function more(ratio) {
  let el = document.scrollingElement || document.documentElement;
  if (!el) return [0, 0, 0, 0];
  if (el.scrollHeight <= innerHeight + 1 && el.scrollWidth <= innerWidth + 1) {
    for (const item of items || []) {
      const [left, top, right, bottom] = item.rect;
      if (item.scrolls && !item.frame.parent && (right - left) * (bottom - top) > 0.5 * innerWidth * innerHeight) el = item.el;
    }
  }
  const root = el === document.scrollingElement;
  const w = root ? innerWidth : el.clientWidth;
  const h = root ? innerHeight : el.clientHeight;
  return [el.scrollTop, el.scrollHeight - h - el.scrollTop, el.scrollLeft, el.scrollWidth - w - el.scrollLeft]
    .map((n) => Math.max(0, Math.round(n * ratio)));
}

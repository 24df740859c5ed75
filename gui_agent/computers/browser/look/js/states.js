// Values, states and attributes of elements.

function valueOf(el, role, tag) {
  switch (tag) {
    case "input":
      return inputValue(el);
    case "textarea":
      return el.value;
    case "select":
      return Array.from(el.selectedOptions, (option) => tidy(option.label)).join("\n");
    case "progress": case "meter":
      return el.hasAttribute("value") ? String(el.value) : "";
    default: {
      const text = el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow");
      if (text) return text;
      if (el.isContentEditable && isEditable(el)) return el.innerText.replace(/\n$/, "");
      return role === "textbox" || role === "searchbox" || role === "combobox" ? tidy(el.textContent) : "";
    }
  }
}

function inputValue(el) {
  switch (el.type) {
    case "checkbox": case "radio": case "button": case "submit": case "reset": case "image":
      return "";
    case "password":
      return "•".repeat(el.value.length);
    case "file":
      return Array.from(el.files, (file) => file.name).join("\n");
    case "range":
      return el.getAttribute("aria-valuetext") || el.value;
    default:
      return el.value;
  }
}

const truth = (el, name) => el.getAttribute(name) === "true";

function statesOf(el, role, tag, active) {
  const states = [];
  const type = tag === "input" ? el.type : "";
  const field = tag === "textarea" || tag === "input" || (el.isContentEditable && isEditable(el))
    || role === "textbox" || role === "searchbox";
  checkStates(el, type, states);
  const current = /^(page|step|location|true)$/.test(el.getAttribute("aria-current") || "");  // not "date": that is today
  if (tag === "option" ? el.selected : current || truth(el, "aria-selected")) states.push("selected");
  if (truth(el, "aria-pressed")) states.push("pressed");
  const expanded = el.getAttribute("aria-expanded");
  if (expanded) states.push(expanded === "true" ? "expanded" : "collapsed");
  else if (tag === "summary") states.push(el.parentNode.open ? "expanded" : "collapsed");
  else if (role === "link" && leadsToPart(el)) states.push(...foldingOf(el));
  if (el === active) states.push("focused");
  const disabled = isDisabled(el);
  if (disabled) states.push("disabled");
  if (el.required || truth(el, "aria-required")) states.push("required");
  const readonly = el.readOnly === true && TYPED.has(role) || truth(el, "aria-readonly");
  if (readonly) states.push("readonly");
  const wrong = el.getAttribute("aria-invalid");
  if (wrong ? wrong !== "false" : field && el.matches(":user-invalid")) states.push("invalid");
  if (field && TYPED.has(role) && !disabled && !readonly) states.push("editable");
  if (tag === "textarea" || truth(el, "aria-multiline") || (field && tag !== "input" && isEditable(el))) {
    states.push("multiline");
  }
  if (type === "password") states.push("password");
  if (el.closest("[aria-busy=true]") || spins(el, role)) states.push("busy");
  const popup = el.getAttribute("aria-haspopup");
  if ((popup && popup !== "false") || role === "combobox") states.push("haspopup");
  return states;
}

const leadsToPart = (el) => /^(#|javascript:|$)/.test(el.getAttribute("href") || "");
const folds = new WeakSet(); // headings below which something was hidden once

// Whether a link in a heading shows and hides the content below it, as on pages that declare no states.
function foldingOf(el) {
  const head = el.closest("h1, h2, h3, h4, h5, h6");
  const part = head && head.nextElementSibling;
  if (!part) return [];
  if (part.checkVisibility() && part.offsetHeight) return folds.has(head) ? ["expanded"] : [];
  if (!part.querySelector("input, select, textarea, button, a")) return [];
  folds.add(head);
  return ["collapsed"];
}

// Whether it shows work in progress: a bar without a value, or an element that its page marks so.
function spins(el, role) {
  if (role === "progressbar") return !el.hasAttribute("aria-valuenow") && !el.hasAttribute("value");
  return SPINNING.test(el.getAttribute("class") || "") && !/\S/.test(el.textContent);
}
const SPINNING = /(^|[\s_-])(loading|loader|spinner|spinning|throbber|[a-z]*skeleton|shimmer)([\s_-]|$)/i;

const TYPED = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

function checkStates(el, type, states) {
  const given = el.getAttribute("aria-checked");
  if (type === "checkbox" || type === "radio") {
    if (el.indeterminate && type === "checkbox") states.push("mixed");
    else if (el.checked || given === "true") states.push("checked"); // a page may keep it in either of the two
  } else if (given === "true") states.push("checked");
  else if (given === "mixed") states.push("mixed");
}

function isDisabled(el) {
  if (el.matches(":disabled") || truth(el, "aria-disabled")) return true;
  return !!el.closest("[aria-disabled=true]");
}

const SHAPES = new Set(["circle", "ellipse", "rect", "polygon", "polyline", "line", "path"]);

function shapeOf(el, tag) {
  if (tag !== "polygon" && tag !== "polyline") return tag;
  return el.points.numberOfItems === 3 ? "triangle" : tag;
}

const generated = (id) => id.length > 24 || /\d{3,}|^[:_]|[0-9a-f]{8}|^(ember|react|ext-|yui|gwt)/.test(id) || /\W\d+\W/.test(id);
const short = (text, limit) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);

// All other distinguishing properties. `data-*` attributes are excluded: they are not visible.
function attributesOf(el, role, tag, style, name) {
  const found = { tag };
  const put = (key, value) => { if (value) found[key] = value; };
  if (tag === "input" || tag === "button") put("type", el.type);
  const kind = el.getAttribute("class");
  if (kind && kind.trim()) found.class = short(kind.trim().replace(/\s+/g, " "), 60);
  put("id", !el.id || typeof el.id !== "string" || generated(el.id) ? "" : el.id);
  const own = el.getAttribute("name");
  put("name", own && !generated(own) ? own : "");
  put("placeholder", el.getAttribute("placeholder"));
  if (tag === "a" || tag === "area") {
    put("href", short(el.getAttribute("href") || "", 200));
    put("rel", (/\b(next|prev)\b/i.exec(el.rel) || [""])[0].toLowerCase());
  }
  if (tag === "img") put("src", short((el.getAttribute("src") || "").replace(/^data:.*|[?#].*$/g, "").split("/").pop(), 60));
  for (const key of ["min", "max", "step"]) put(key, el.getAttribute(key) || el.getAttribute("aria-value" + key));
  if (/^h[1-6]$/.test(tag)) found.level = tag[1];
  if (tag === "select") found.options = Array.from(el.options, (option) => tidy(option.label)).join("\n");
  put("notice", noticeOf(el));
  if (isDraggable(el, style)) found.draggable = "true";
  if (el.ownerSVGElement) svgAttributes(el, tag, style, found);
  else colourAttributes(el, style, name, found);
  return found;
}

// The dialog, message or popup that the element is part of.
function noticeOf(el) {
  const around = el.closest("[role=alert],[role=alertdialog],[role=dialog],dialog");
  if (around) return around.getAttribute("role") || "dialog";
  return hasPoppedUp(el) ? "popup" : el.closest("[role=status]") ? "status" : "";
}

// Whether an element is in a box that appeared over the page after a click, whatever its role, without filling it.
const risen = new WeakMap();
let found_ = new Map(); // in this look
function hasPoppedUp(el) {
  if (!el || el.nodeType !== 1) return Boolean(el && hasPoppedUp(above(el)));
  if (!found_.has(el)) found_.set(el, isRaised(el) && fitsIn(el) && isLater(el) || hasPoppedUp(above(el)));
  return found_.get(el);
}
const isLater = (el) => risen.get(el) ?? (risen.set(el, clicks > 0), clicks > 0);
const fitsIn = (el) => el.clientWidth < 0.8 * innerWidth && el.clientHeight < 0.8 * innerHeight;
function isRaised(el) {
  const style = getComputedStyle(el);
  return style.position === "fixed" || style.position === "absolute" && style.zIndex !== "auto";
}

// The same for a text; a page may mark its error messages only by style.
function noticeOfText(el) {
  const told = noticeOf(el);
  for (let up = el, n = 0; (!told || told === "popup" || told === "status") && up && n < 3; up = up.parentElement, n++) {
    const found = COMPLAINING.exec(up.getAttribute("class") || "");
    if (found) return /warn/i.test(found[0]) ? "warning" : "error";
  }
  return told;
}
const COMPLAINING = /(^|[\s_-])(errors?|errorlist|errornote|errormessage|invalid-feedback|(alert|text|label)-(danger|error)|warnings?)(?=$|[\s_-])/i;

function svgAttributes(el, tag, style, found) {
  if (SHAPES.has(tag)) found.shape = shapeOf(el, tag);
  else if (tag === "text") found.shape = tag;
  if (tag === "polygon" || tag === "polyline") found.sides = String(el.points.numberOfItems);
  let paint = style.fill;
  const hollow = !rgba(paint) || rgba(paint)[3] === 0 || tag === "line";
  if (hollow) paint = style.stroke;
  const named = colourName(paint);
  if (named) {
    found.color = named;
    found[hollow ? "stroke" : "fill"] = hexOf(paint);
  }
  const box = el.getBoundingClientRect();
  found.size = Math.round(box.width) + "x" + Math.round(box.height);
}

function colourAttributes(el, style, name, found) {
  const back = style.backgroundColor;
  if (isVivid(back) || (!name && !el.firstChild && !CLOSED.has(found.tag) && colourName(back))) {
    found.color = colourName(back);
    found.fill = hexOf(back);
  } else if (isVivid(style.color) && name && !(found.tag === "a" && !style.color)) found.color = colourName(style.color);
}

// What a person sees of a thing that its own words do not say: letters that are not shown, what is drawn on a canvas, what
// is painted over a control or shines through it, and the names around it.

// Groups of options and entries: "Delete" above "Letter".
const GROUPED = new Set(["option", "menuitem", "menuitemradio", "button"]);

function groupOfOption(el) {
  const box = Element.prototype.closest.call(el.parentElement || el, "optgroup,fieldset,[role=group],[role=menu],[role=listbox]");
  if (!box || box.matches("[role=listbox]")) return "";
  return tidy(box.getAttribute("label") || labelledName(box) || nativeName(box, box.localName) || "");
}

// Fields whose letters nobody can read while they are typed.
const MASKING_FONT = /text-?security|password|passdots|dots?font|bullets?|asterisk/i;
const EDITOR = "[class*=edit i],[class*=code i],[class*=monaco i],[class*=highlight i],[class*=ace_ i]";

function fieldFacts(el, tag, put) {
  put("conceals", el.readOnly || el.getAttribute("role") === "combobox" ? "" : concealing(el, tag));
  const row = tag === "input" && el.maxLength === 1 && el.parentElement;
  for (let box = row, up = 0; box && up < 3; box = box.parentElement, up++) {
    const boxes = box.querySelectorAll("input[maxlength='1']").length;
    if (boxes >= 4 && boxes <= 10) return put("fill", "one-time-code"); // a box for each digit of a code
    if (boxes > 10) return;
  }
}

function concealing(el, tag) {
  const style = getComputedStyle(el);
  if (style.webkitTextSecurity && style.webkitTextSecurity !== "none") return "dots";
  if (MASKING_FONT.test(style.fontFamily)) return "font";
  if (/^[•●∙*＊◦⬤]{3,}$/.test(tag === "input" || tag === "textarea" ? el.value : el.textContent)) return "dots";
  if (tag !== "input" && (el.closest(EDITOR) || el.parentElement && el.parentElement.querySelector("pre,code"))) return "";
  const letters = rgba(style.webkitTextFillColor) || rgba(style.color);
  const back = rgba(style.backgroundColor);
  const size = parseFloat(style.fontSize);
  const box = el.getBoundingClientRect();
  if (tag === "input" && (box.width < 12 && el.maxLength !== 1 || box.height < 9 || style.opacity < 0.1 || /inset\((?:100|[5-9]\d)%/.test(style.clipPath))) return "out of sight";
  if (letters && letters[3] < 0.05) return "clear";
  if (letters && back && back[3] === 1 && letters.slice(0, 3).every((one, place) => Math.abs(one - back[place]) < 8)) return "as its background";
  if (size < 3 || parseFloat(style.letterSpacing) < -0.7 * size || Math.abs(parseFloat(style.textIndent)) > 300) return "out of sight";
  return /blur\(/.test(style.filter) ? "blurred" : "";
}

// An option of a list, with the name of its group behind a tab.
function optionWords(option) {
  const group = option.parentElement && option.parentElement.localName === "optgroup" ? tidy(option.parentElement.label) : "";
  return tidy(option.label) + (group ? "\t" + group : "");
}

// How programs call what is around a control that is as good as all there is in it.
function identifiersAround(el) {
  const found = [];
  for (let box = el.parentElement, up = 0; box && up < 3 && box.localName !== "body"; box = box.parentElement, up++) {
    if (box.querySelectorAll(STOOD_FOR).length > 1) break;
    found.push(box.getAttribute("class"), box.id, box.getAttribute("aria-label"), box.getAttribute("title"));
  }
  return found.filter(Boolean).join("\n");
}

// What is drawn on a canvas, one text a line as `left top right bottom words` in parts of its size; what programs read of
// it instead stands all over it.
const ASKED_DRAWN = "gui_agent.drawn";

function drawnIn(canvas) {
  let told = "[]";
  const hear = (event) => { told = String(event.detail); };
  canvas.addEventListener(ASKED_DRAWN + "?", hear);
  canvas.dispatchEvent(new CustomEvent(ASKED_DRAWN, { composed: true }));
  canvas.removeEventListener(ASKED_DRAWN + "?", hear);
  const names = ["title", "class", "id"].map((key) => canvas.getAttribute(key) || "");
  const lines = [textOf(canvas), ...Array.from(canvas.querySelectorAll("[aria-label]"), (one) => one.getAttribute("aria-label")), ...names]
    .map((text) => tidy(text)).filter(Boolean).map((text) => "0 0 1 1 " + short(text, 100));
  for (const [text, ...box] of JSON.parse(told)) {
    lines.push(box.slice(0, 4).map((part) => Math.round(1000 * Math.max(0, Math.min(1, part))) / 1000).join(" ") + " " + short(tidy(text), 100));
  }
  return short(lines.join("\n"), 4000);
}

// The texts and pictures of this look that are seen in the place of something else: they let clicks through, or lie below
// what is hit.
let painted_ = [];

function paintsOver(one) {
  return one.beneath || one.style && one.style.pointerEvents === "none";
}

// The words of what is seen in the place of something else.
function wordsOf(one) {
  const { el, tag, role } = one;
  const within = tag === "canvas" ? drawnIn(el).split("\n").map((line) => line.split(" ").slice(4).join(" ")) : tag === "iframe" ? [frameText(el)] : [];
  const typed = /^(input|textarea)$/.test(tag) && el.type !== "password" ? el.value : "";
  return [one.name || nameOf(el, role, tag), typed, ...within, role === "text" ? "" : iconsOf(el, tag)];
}

function frameText(el) {
  const inner = el.contentDocument && el.contentDocument.body;
  return inner ? tidy(plainText(inner)).slice(0, 200) : "";
}

function shownOn(item) {
  const { el, frame, rect, kind } = item;
  if (!painted_.length || kind < 2) return {};
  const seeThrough = () => {
    const style = getComputedStyle(el);
    const back = rgba(style.backgroundColor);
    const bare = style.backgroundImage === "none" && (!back || back[3] < 0.5);
    const shown = (rgba(style.color) || [0, 0, 0, 1])[3] > 0.3 && parseFloat(style.fontSize) > 2 && parseFloat(style.textIndent) > -100;
    return bare && !(/\S/.test(el.textContent) && shown);
  };
  const found = [];
  let clear;
  for (const one of painted_) {
    if (one.frame !== frame || one.el === el || el.contains(one.el) || one.el.contains(el) || !overlaps(one.rect, rect)) continue;
    const shared = meet(one.rect, rect);
    const size = (box) => (box[2] - box[0]) * (box[3] - box[1]);
    if (size(shared) < 0.4 * Math.min(size(one.rect), size(rect))) continue;
    if (one.beneath && one.style.pointerEvents !== "none" && !(clear === undefined ? (clear = seeThrough()) : clear)) continue;
    found.push(...wordsOf(one));
    if (found.length > 30) break;
  }
  const text = short(Array.from(new Set(found.filter(Boolean))).join("\n"), 300);
  return text ? { seen: text } : {};
}

// What a wheel turns that is over it, as the page's own listeners tell.
let turned = new WeakSet();

function findTurned() {
  turned = new WeakSet();
  const hear = (event) => turned.add(event.composedPath()[0]);
  window.addEventListener("gui_agent.turns", hear, { capture: true });
  window.dispatchEvent(new CustomEvent("gui_agent.turned"));
  window.removeEventListener("gui_agent.turns", hear, { capture: true });
}

function turnedFacts(el) {
  for (let node = el, up = 0; node && up < 3 && node.nodeType === 1 && !/^(body|html|main)$/.test(node.localName); node = above(node), up++) {
    if (turned.has(node) || node.hasAttribute("onwheel")) return { wheel: "1" };
  }
  return {};
}

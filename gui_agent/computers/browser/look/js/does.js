// The effects of activating an element, as its document declares them; queried at each look, and again just before acting.

const DIALOG = "[role=dialog],[role=alertdialog],dialog,[aria-modal=true],[popover],[class~=modal],[class~=dialog]";
const LONG_QUESTION = 8000; // letters of a dialog with a few buttons; one with many is a part of the program
const LAYER = /modal|overlay|dialog|popup|backdrop|lightbox/i;
const HEADING = "h1,h2,h3,h4,h5,h6,legend,caption,[role=heading]";
const WIDGETS = new Set("checkbox radio button link menuitem menuitemcheckbox menuitemradio img image switch tab generic option treeitem".split(" "));
let judged = new WeakMap(); // the effects at the last look
const attributeOf = (el, name) => Element.prototype.getAttribute.call(el, name);
const controlsOf = getter(HTMLFormElement, "elements");
const siblingBefore = getter(Element, "previousElementSibling");
const outerOf = getter(Node, "parentElement");

const ends = (text, limit) => (text.length > limit ? text.slice(0, limit / 2) + "\n" + text.slice(-limit / 2) : text);
const within_ = (url) => {
  try {
    const to = new URL(url, document.baseURI);
    return to.origin === location.origin ? to.pathname + to.search : to.href;
  } catch (error) {
    return url;
  }
};
const isSubmit = (el, tag) => (tag === "button" && el.type === "submit") || (tag === "input" && /^(submit|image)$/.test(el.type));
const partsOf = (texts, limit) => texts.join("\n") && short(texts.join("\n"), limit).split("\n");
const TEXTUAL = /^(text|search|url|tel|email|password|date|month|week|time|datetime-local|number)$/;

function doesOf(el, role, tag, name) {
  const found = {};
  const put = (key, value) => { if (value) found[key] = value; };
  const link = el.closest("a[href],area[href]");
  if (tag === "img" && el.useMap) mapFacts(el, put);
  if (link) {
    const given = link.getAttribute("href");
    if (given && !given.startsWith("#")) put("link", short(within_(given), 300));
    if (link.hasAttribute("download")) put("download", link.download || "file");
  }
  put("fill", (el.getAttribute("autocomplete") || "").split(" ").pop());
  const sent = sentByHandler(el);
  if (sent || el.form) found.form = formFacts(el, tag, sent);
  if (/^(input|textarea)$/.test(tag) && !name) put("said", partsOf(saidBy(el, tag, name), 200));
  if (tag === "input" ? TEXTUAL.test(el.type) : tag === "textarea" || el.isContentEditable) {
    fieldFacts(el, tag, put);
    if (el === el.ownerDocument.activeElement) put("question", questionOf(el));
  }
  if (WIDGETS.has(role)) {
    put("said", partsOf(saidBy(el, tag, name), 200));
    put("icon", short(iconsOf(el, tag), 200));
    put("classes", (el.getAttribute("class") || "").length > 60 ? short(el.getAttribute("class"), 300) : "");
    put("question", questionOf(el));
  }
  return found;
}

// A picture with areas that lead to different places: all of them are reported, as any may be hit.
function mapFacts(el, put) {
  const map = el.ownerDocument.querySelector('map[name="' + CSS.escape(el.useMap.slice(1)) + '"]');
  const areas = map ? Array.from(map.areas) : [];
  const links = areas.map((one) => within_(one.getAttribute("href") || "")).sort((a, b) => a.startsWith("/") - b.startsWith("/"));
  put("link", short(links[0] || "", 300));
  put("areas", partsOf(areas.map((one) => [one.alt, one.title, one.getAttribute("aria-label")].filter(Boolean).join("\n")), 300));
}

// The effects of a button's label: a click on it presses the button.
function labelFacts(el) {
  const label = el.closest("label");
  const control = label && label.control;
  if (!control || roleOf(control, control.localName) !== "button") return {};
  return doesOf(control, "button", control.localName, "");
}

// The form that the element's own handler submits.
function sentByHandler(el) {
  const handler = ["onclick", "onchange", "oninput", "onkeydown"].map((name) => el.getAttribute(name) || "").join("\n").slice(0, 1000);
  if (!/\b(?:submit|requestSubmit)\s*\(/.test(handler)) return null;
  const all = Array.from(el.ownerDocument.forms);
  const called = (one) => [attributeOf(one, "id"), attributeOf(one, "name")].some((word) => word && handler.split(/[^\w$-]+/).includes(word));
  return el.form || closestOf(el, "form") || all.find(called) || all[0] || null;
}

function formFacts(el, tag, sent) {
  const form = sent || el.form;
  const found = {};
  const put = (key, value) => { if (value) found[key] = value; };
  const field = tag === "input" && TEXTUAL.test(el.type);
  let button = isSubmit(el, tag) ? el : null;
  put("words", partsOf(formWords(form), 200));
  put("submits", Boolean(sent));
  if (!button && field) {
    const root = Node.prototype.getRootNode.call(form);
    button = Array.from(root.querySelectorAll("button,input")).find((one) => one.form === form && isSubmit(one, one.localName)) || null;
    const alone = Array.from(controlsOf(form)).filter((one) => one.localName === "input" && TEXTUAL.test(one.type)).length === 1;
    if (button ? button.disabled : !alone) return found;
    if (button) found.default = short(nameOf(button, "button", button.localName), 200);
  }
  if (button || field || sent) {
    const method = (button && button.getAttribute("formmethod") || attributeOf(form, "method") || "get").toLowerCase();
    const action = button && button.getAttribute("formaction") || attributeOf(form, "action") || location.href;
    if (method !== "dialog") put("sends", short(within_(action), 300));
    put("posts", method.startsWith("post"));
  }
  const kinds = Array.from(controlsOf(form), fieldKind).filter(Boolean);
  put("fields", kinds.length && Array.from(new Set(kinds)));
  return found;
}

function fieldKind(el) {
  const filling = el.getAttribute("autocomplete") || "";
  if (el.type === "password") return /new/.test(filling) && !el.value ? "empty-password" : "password";
  if (/\bcc-/.test(filling)) return "card";
  return /one-time-code/.test(filling) ? "password" : "";
}

function formWords(form) {
  const title = Element.prototype.querySelector.call(form, HEADING);
  let before = form;
  for (let up = 0; up < 2 && before && !siblingBefore(before); up++) before = outerOf(before);
  for (let back = 0; back < 3 && before && (before === form || !before.matches(HEADING)); back++) before = siblingBefore(before);
  const group = Element.prototype.closest.call(form, "fieldset,section[aria-label],[role=region][aria-label],[role=group][aria-label]");
  const grouped = group && (group.getAttribute("aria-label") || (group.querySelector("legend") || { textContent: "" }).textContent);
  const above = !title && before && before !== form && before.matches(HEADING) ? before.textContent : grouped;
  const [label, name, id] = ["aria-label", "name", "id"].map((one) => attributeOf(form, one));
  return [label, title && title.textContent, above, name, id]
    .map((text) => tidy(text && text.slice(0, 100) || "")).filter(Boolean);
}

// Words on it besides its name: some are for people, some for programs.
function saidBy(el, tag, name) {
  const texts = ["aria-label", "title", "alt", "value", "data-tooltip", "data-title", "data-original-title", "data-tip"]
    .map((key) => el.getAttribute(key));
  if (el.childElementCount < 8) texts.push(el.textContent.slice(0, 150));
  const turned = el.querySelector("bdo") || el;
  if (/override/.test(getComputedStyle(turned).unicodeBidi)) texts.push(Array.from(turned.textContent.slice(0, 150)).reverse().join(""));
  if (el.labels && tag !== "button") for (const label of el.labels) texts.push(label.textContent.slice(0, 100));
  return Array.from(new Set(texts.map((text) => tidy(text || "")).filter((text) => text && text !== name)));
}

const NAMES_ICON = /(^|-)(icon|glyph|symbol|lucide|feather|testid)(-name)?$/i; // attributes that name what is drawn

const fileOf = (address) => (address || "").replace(/^data:.*|[?#].*$/g, "").split("/").pop();

function iconsOf(el, tag) {
  const found = [];
  const nodes = [el, ...Array.from(el.querySelectorAll("svg,use,i,img,span,ion-icon,mat-icon,path,[class*=icon]")).slice(0, 12)];
  for (const node of nodes) {
    if (node !== el && !/^(svg|use|path)$/.test(node.localName) && tidy(node.textContent).length > 20) continue;
    for (const { name, value } of node.attributes) {
      const told = NAMES_ICON.test(name) || name === "name" && node.localName.includes("-") || name === "class" && node !== el;
      if (told) found.push(value.slice(0, 100));
    }
    for (const key of ["alt", "title", "aria-label"]) if (node !== el) found.push(node.getAttribute(key));
    if (node.localName === "use") found.push((node.getAttribute("href") || node.getAttribute("xlink:href") || "").split("#").pop());
    if (node.localName === "mat-icon" || /material-icons|material-symbols/.test(node.className)) found.push(node.textContent);
    found.push(fileOf(node.getAttribute("src")));
    if (node.firstElementChild === null) {
      const drawn = /url\("([^"]+)"\)/.exec(getComputedStyle(node).backgroundImage);
      if (drawn) found.push(fileOf(drawn[1]));
    }
  }
  if (tag === "input") found.push(fileOf(el.getAttribute("src")));
  found.push(...drawnOn(el));
  const outer = el.parentElement;
  if (outer && outer.childElementCount === 1 && !/\S/.test(outer.textContent)) found.push(outer.getAttribute("class"));
  return Array.from(new Set(found.filter(Boolean))).join(" ");
}

// The whole text of the dialog or box in front of the page that contains an element.
function questionOf(el) {
  let box = closestOf(el, DIALOG);
  if (!box) {
    let small = null;
    for (let node = el.parentElement, up = 0; node && up < 12 && node !== node.ownerDocument.body; node = node.parentElement, up++) {
      const raised = isRaised(node);
      const fits = fitsIn(node);
      const veil = raised && !fits && (/^rgba\(.*, 0\.\d+\)$/.test(getComputedStyle(node).backgroundColor) || LAYER.test(node.getAttribute("class") || ""));
      if (raised && (fits || asksOnly(node))) box = node;
      else if (veil && small && !box) box = small;
      small = node;
    }
  }
  if (!box) return "";
  const labels = referenced(box, (box.getAttribute("aria-labelledby") || "") + " " + (box.getAttribute("aria-describedby") || ""));
  const { host } = Node.prototype.getRootNode.call(box); // a component's dialog content is outside of it
  const texts = [box.getAttribute("aria-label"), ...labels.map((one) => one.textContent), plainText(box), host ? plainText(host) : ""];
  const few = box.getElementsByTagName("button").length <= 6;
  return ends(tidy(texts.filter(Boolean).join("\n")), few ? LONG_QUESTION : 800);
}

// Whether an overlay is a short question with a few answers.
function asksOnly(node) {
  if (node.getElementsByTagName("*").length > 40) return false;
  const text = tidy(plainText(node));
  return text.length <= 300 && /[?？]/.test(text);
}

// The nearest such ancestor as drawn, through shadow trees and slots.
function closestOf(el, what) {
  for (let node = el; node; node = above(node)) if (node.nodeType === 1 && node.matches(what)) return node;
  return null;
}

// The visible text in a box outside of its controls, including drawn text, field values and shadow trees.
function plainText(box, depth = 0) {
  const walker = (box.ownerDocument || box).createTreeWalker(box, 5);
  const texts = [];
  for (let node = walker.nextNode(), left = 800; node && left; node = walker.nextNode(), left--) {
    if (node.nodeType === 1) {
      if (depth < 3) texts.push(...heldText(node, depth));
      continue;
    }
    const around = node.parentElement;
    if (!/\S/.test(node.nodeValue) || around && around.closest("script,style")) continue;
    const control = around && around.closest("button,a[href],label,input,select,textarea,[role=button],[role=menuitem],[role=option],[role=tab]");
    if ((!control || control === box || control.contains(box)) && (!around || around.checkVisibility({ visibilityProperty: true }))) texts.push(node.nodeValue);
  }
  return texts.join("\n");
}

function heldText(node, depth) {
  const tag = node.localName;
  if (node.shadowRoot) return [plainText(node.shadowRoot, depth + 1)];
  if (tag === "iframe") return [node.contentDocument && node.contentDocument.body ? plainText(node.contentDocument.body, depth + 1) : ""];
  if (tag === "img") return [node.alt];
  if (/^(input|textarea)$/.test(tag)) return [node.readOnly ? node.value : ""];
  if (tag === "label") return [node.control && node.control.type !== "hidden" ? "" : node.textContent];
  return node.firstElementChild ? [] : drawnOn(node);
}

// Texts that a style inserts before or after an element's content.
function drawnOn(el) {
  return ["::before", "::after"].map((part) => {
    const drawn = getComputedStyle(el, part).content;
    const quoted = /^"/.test(drawn) ? drawn.match(/"(?:[^"\\]|\\.)*"/g).map((one) => one.slice(1, -1)).join("") : "";
    return quoted || fileOf((/url\("([^"]+)"\)/.exec(drawn) || [])[1]);
  }).filter(Boolean);
}

// The properties that must be the same at the action as at the judgement; empty for an element too large to be one thing.
function markOf(el, tag) {
  const text = el.textContent;
  if (text.length > 200) return "";
  const typed = el.isContentEditable || /^(input|textarea|select)$/.test(tag) && !/^(button|submit|reset|image)$/.test(el.type);
  const own = ["aria-label", "title", "alt", "href", "type", "formaction", "formmethod"].map((key) => el.getAttribute(key));
  const form = el.form && isSubmit(el, tag) ? [attributeOf(el.form, "action"), attributeOf(el.form, "method")] : [];
  const box = typed ? null : closestOf(el, DIALOG);
  const few = box && box.getElementsByTagName("button").length <= 6;
  const around = [few ? plainText(box).slice(0, 2000) : "", ...Array.from(el.labels || [], (one) => one.textContent.slice(0, 300))]
    .map((one) => tidy(one.replace(/\d+/g, "")));
  return JSON.stringify([...own, ...form, typed ? "" : tidy(text), typed ? "" : el.value || "", ...around]);
}

// The listed controls around a node that have changed since the last look.
function changedAround(hit) {
  const changed = [];
  for (let node = hit, up = 0; node && up < 8; node = above(node), up++) {
    if (judged.has(node) && judged.get(node) && judged.get(node) !== markOf(node, node.localName)) changed.push(listed.get(node));
  }
  return changed;
}

// The focused element: through the frames of this origin.
function keyboardOf(doc) {
  const el = focusOf(doc);
  return el && el.contentDocument ? keyboardOf(el.contentDocument) || el : el;
}

// JSON of {document, number, frame, changed, words} of the focused element; for a focus in a frame of another origin
// only the number of that frame.
function focusNow() {
  const el = keyboardOf(document);
  const frame = el && (el.localName === "iframe" || el.localName === "frame") && !el.contentDocument ? own(el) : 0;
  return JSON.stringify({ document: birth, number: el ? numberOf(el) : 0, frame, changed: el ? changedAround(el) : [], ...(el ? told(el) : { words: "nothing" }) });
}

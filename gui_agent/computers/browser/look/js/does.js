// What activating an element would do, as its own document tells; asked at each look, and again just before acting.

const DIALOG = "[role=dialog],[role=alertdialog],dialog,[aria-modal=true],[popover]";
const HEADING = "h1,h2,h3,h4,h5,h6,legend,caption,[role=heading]";
const WIDGETS = new Set("button link menuitem menuitemcheckbox menuitemradio img image switch tab generic option treeitem".split(" "));
let judged = new WeakMap(); // what was told of an element at the last look
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
const TEXTUAL = /^(text|search|url|tel|email|password|date|month|week|time|datetime-local|number)$/;

function doesOf(el, role, tag, kind, name) {
  const found = {};
  const put = (key, value) => { if (value) found[key] = value; };
  const link = el.closest("a[href],area[href]");
  if (tag === "img" && el.useMap) mapFacts(el, put);
  if (link) {
    const given = link.getAttribute("href");
    if (given && !given.startsWith("#")) put("link", short(within_(given), 300));
    if (link.hasAttribute("download")) put("download", link.download || "file");
  }
  put("fill", el.getAttribute("autocomplete"));
  if (el.form) formFacts(el, tag, put);
  if (el.hasAttribute("onclick") || el.hasAttribute("onchange") || el.hasAttribute("oninput") || kind === 2 || kind === 3) put("handles", "1");
  if (/^(input|textarea)$/.test(tag) && !name) put("said", short(saidBy(el, tag, name), 200));
  if (WIDGETS.has(role)) {
    put("said", short(saidBy(el, tag, name), 200));
    put("icon", short(iconsOf(el, tag), 200));
    put("class", (el.getAttribute("class") || "").length > 60 ? short(el.getAttribute("class"), 300) : "");
    put("question", questionOf(el));
  }
  return found;
}

// A picture with areas that lead elsewhere: whichever is hit, all of them are told.
function mapFacts(el, put) {
  const map = el.ownerDocument.querySelector('map[name="' + CSS.escape(el.useMap.slice(1)) + '"]');
  const areas = map ? Array.from(map.areas) : [];
  const links = areas.map((one) => within_(one.getAttribute("href") || "")).sort((a, b) => a.startsWith("/") - b.startsWith("/"));
  put("link", short(links[0] || "", 300));
  put("handles", areas.length ? "1" : "");
  put("areas", short(areas.map((one) => [one.alt, one.title, one.getAttribute("aria-label")].filter(Boolean).join("\n")).join("\n"), 300));
}

// What a text does that is the label of a button: a click on it presses that.
function labelFacts(el) {
  const label = el.closest("label");
  const control = label && label.control;
  if (!control || roleOf(control, control.localName) !== "button") return {};
  const found = doesOf(control, "button", control.localName, 4, "");
  return { ...found, handles: "1" };
}

function formFacts(el, tag, put) {
  const form = el.form;
  const field = tag === "input" && TEXTUAL.test(el.type);
  let button = isSubmit(el, tag) ? el : null;
  if (!button && field) {
    const root = Node.prototype.getRootNode.call(form);
    button = Array.from(root.querySelectorAll("button,input")).find((one) => one.form === form && isSubmit(one, one.localName)) || null;
    const alone = Array.from(controlsOf(form)).filter((one) => one.localName === "input" && TEXTUAL.test(one.type)).length === 1;
    if (button ? button.disabled : !alone) return put("form", short(formWords(form), 200));
    if (button) put("default", short(nameOf(button, "button", button.localName) + "\n" + saidBy(button, button.localName) + "\n" + iconsOf(button, button.localName), 200));
  }
  if (button || field) {
    const method = (button && button.getAttribute("formmethod") || attributeOf(form, "method") || "get").toLowerCase();
    const action = button && button.getAttribute("formaction") || attributeOf(form, "action") || location.href;
    if (method !== "dialog") put("sends", method + " " + short(within_(action), 300));
  }
  put("form", short(formWords(form), 200));
  put("fields", Array.from(controlsOf(form), fieldKind).filter(Boolean).join(" "));
}

function fieldKind(el) {
  const filling = el.getAttribute("autocomplete") || "";
  if (el.type === "password") return (/new/.test(filling) ? "new-" : "") + (el.value ? "password" : "password-empty");
  if (/\bcc-/.test(filling)) return "card";
  if (/one-time-code/.test(filling)) return "code";
  return "";
}

function formWords(form) {
  const title = Element.prototype.querySelector.call(form, HEADING);
  let before = form;
  for (let up = 0; up < 2 && before && !siblingBefore(before); up++) before = outerOf(before);
  before = before && siblingBefore(before);
  const above = !title && before && before.matches(HEADING) ? before.textContent : "";
  const [label, name, id] = ["aria-label", "name", "id"].map((one) => attributeOf(form, one));
  return [label, title && title.textContent, above, name, id]
    .map((text) => tidy(text && text.slice(0, 100) || "")).filter(Boolean).join("\n");
}

// Words on it besides its name: a person reads some of them, programs others.
function saidBy(el, tag, name) {
  const texts = ["aria-label", "title", "alt", "value", "data-tooltip", "data-title", "data-original-title", "data-tip"]
    .map((key) => el.getAttribute(key));
  if (el.childElementCount < 8) texts.push(el.textContent.slice(0, 150));
  if (el.labels && tag !== "button") for (const label of el.labels) texts.push(label.textContent.slice(0, 100));
  return Array.from(new Set(texts.map((text) => tidy(text || "")).filter((text) => text && text !== name))).join("\n");
}

const fileOf = (address) => (address || "").replace(/^data:.*|[?#].*$/g, "").split("/").pop();

function iconsOf(el, tag) {
  const found = [];
  const nodes = [el, ...Array.from(el.querySelectorAll("svg,use,i,img,span,ion-icon,mat-icon,path,[class*=icon]")).slice(0, 12)];
  for (const node of nodes) {
    if (node !== el && !/^(svg|use|path)$/.test(node.localName) && tidy(node.textContent).length > 20) continue;
    for (const key of ["class", "data-icon", "name", "data-testid", "data-lucide", "icon"]) {
      const own = node === el && key === "class";
      if (!own && (key !== "name" || node.localName.includes("-"))) found.push(node.getAttribute(key));
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
  return Array.from(new Set(found.filter(Boolean))).join(" ");
}

// The whole text of the dialog or box in front of the page that an element is in.
function questionOf(el) {
  let box = el.closest(DIALOG);
  if (!box) {
    for (let node = el.parentElement, up = 0; node && up < 12 && node !== node.ownerDocument.body; node = node.parentElement, up++) {
      const style = getComputedStyle(node);
      const raised = style.position === "fixed" || (style.position === "absolute" && style.zIndex !== "auto");
      if (raised && node.clientWidth < 0.8 * innerWidth && node.clientHeight < 0.8 * innerHeight) box = node;
    }
  }
  if (!box) return "";
  const labels = referenced(box, (box.getAttribute("aria-labelledby") || "") + " " + (box.getAttribute("aria-describedby") || ""));
  const texts = [box.getAttribute("aria-label"), ...labels.map((one) => one.textContent), plainText(box)];
  return ends(tidy(texts.filter(Boolean).join("\n")), 800);
}

// The text in a box that is seen and not on its controls.
function plainText(box) {
  const walker = box.ownerDocument.createTreeWalker(box, 4);
  const texts = [];
  for (let node = walker.nextNode(), left = 400; node && left; node = walker.nextNode(), left--) {
    const around = node.parentElement;
    if (!/\S/.test(node.nodeValue) || around.closest("script,style")) continue;
    const control = around.closest("button,a,label,input,select,textarea,[role=button],[role=menuitem],[role=option],[role=tab],[onclick]");
    if ((!control || control === box || control.contains(box)) && around.checkVisibility({ visibilityProperty: true })) texts.push(node.nodeValue);
  }
  return texts.join("\n");
}

// What must be the same when it is acted upon as when it was judged; empty for what is too large to be one thing.
function markOf(el, tag) {
  const text = el.textContent;
  if (text.length > 200) return "";
  const typed = el.isContentEditable || /^(input|textarea|select)$/.test(tag) && !/^(button|submit|reset|image)$/.test(el.type);
  const own = ["aria-label", "title", "alt", "href", "type", "formaction", "formmethod"].map((key) => el.getAttribute(key));
  const form = el.form && isSubmit(el, tag) ? [attributeOf(el.form, "action"), attributeOf(el.form, "method")] : [];
  return JSON.stringify([...own, ...form, typed ? "" : tidy(text), typed ? "" : el.value || ""]);
}

// The listed controls around a node that are something else now than at the last look.
function changedAround(hit) {
  const changed = [];
  for (let node = hit, up = 0; node && up < 8; node = above(node), up++) {
    if (judged.has(node) && judged.get(node) && judged.get(node) !== markOf(node, node.localName)) changed.push(listed.get(node));
  }
  return changed;
}

// What has the keyboard: through the frames of this origin.
function keyboardOf(doc) {
  const el = focusOf(doc);
  return el && el.contentDocument ? keyboardOf(el.contentDocument) || el : el;
}

// JSON of {document, number, changed, words} of what has the keyboard at this moment.
function focusNow() {
  const el = keyboardOf(document);
  return JSON.stringify({ document: birth, number: el ? numberOf(el) : 0, changed: el ? changedAround(el) : [], ...(el ? told(el) : { words: "nothing" }) });
}

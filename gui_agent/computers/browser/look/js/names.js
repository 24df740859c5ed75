// Accessible names and descriptions, after "Accessible Name and Description Computation 1.2" (W3C).

const tidy = (text) => text.replace(/[\uE000-\uF8FF\u200b\u2060\u034f\u3164\u115f\u1160]/g, "").replace(/\s+/g, " ").trim();

function nameOf(el, role, tag) {
  return labelledName(el) || nativeName(el, tag)
    || (NAMED_BY_CONTENT.has(role) || tag === "summary" ? contentOfName(el) : "")
    || lastResort(el);
}

// The name from ARIA attributes.
function labelledName(el) {
  const ids = el.getAttribute("aria-labelledby");
  if (ids) {
    const text = tidy(referenced(el, ids).map((target) => namePart(target, true)).join(" "));
    if (text) return text;
  }
  const label = el.getAttribute("aria-label");
  return label ? tidy(label) : "";
}

function referenced(el, ids) {
  const root = el.getRootNode();
  return ids.trim().split(/\s+/).map((id) => root.getElementById(id)).filter(Boolean);
}

// The name from the element's own kind: label, alt, value of a button, caption, legend.
function nativeName(el, tag) {
  switch (tag) {
    case "input":
      return inputName(el);
    case "textarea": case "select": case "meter": case "progress": case "output":
      return labelsOf(el);
    case "button":
      return labelsOf(el);
    case "img": case "area":
      return tidy(el.getAttribute("alt") || "");
    case "fieldset":
      return childText(el, "legend");
    case "table":
      return childText(el, "caption");
    case "figure":
      return childText(el, "figcaption");
    case "option": case "optgroup":
      return tidy(el.getAttribute("label") || "");
    default:
      return el.ownerSVGElement !== undefined ? childText(el, "title") : "";
  }
}

function inputName(el) {
  const label = labelsOf(el);
  if (label) return label;
  switch (el.type) {
    case "submit":
      return tidy(el.value || "") || el.title || "Submit";
    case "reset":
      return tidy(el.value || "") || el.title || "Reset";
    case "button":
      return tidy(el.value || "");
    case "image":
      return tidy(el.getAttribute("alt") || el.getAttribute("value") || el.title || "") || "Submit";
    case "file":
      return el.title || (el.multiple ? "Choose Files" : "Choose File");
    default:
      return "";
  }
}

function labelsOf(el) {
  if (!el.labels || !el.labels.length) return "";
  return tidy(Array.from(el.labels, (label) => namePart(label, false, el)).join(" "));
}

function childText(el, tag) {
  for (const child of el.children) if (child.localName === tag) return tidy(child.textContent);
  return "";
}

function lastResort(el) {
  const title = el.getAttribute("title");
  if (title && title.trim()) return tidy(title);
  const hint = el.getAttribute("placeholder") || el.getAttribute("aria-placeholder");
  if (hint) return tidy(hint);
  const holder = el.localName === "body" && el.ownerDocument.defaultView.frameElement;
  return holder ? tidy(holder.getAttribute("aria-label") || holder.title || "") : "";
}

// The text of an element for a name: without hidden parts, images by their alt.
function contentOfName(el) {
  if (!el.firstElementChild && !el.shadowRoot) {
    return tidy(pseudo(el, "::before") + cased(el.textContent, el) + pseudo(el, "::after"));
  }
  const text = tidy(childrenPart(el, false, null));
  const twice = /^(.+) \1$/.exec(text); // a picture with the same text as its neighbour
  return twice && el.querySelector("img,svg,[title],[aria-label]") ? twice[1] : text;
}

function pseudo(el, which) {
  const content = getComputedStyle(el, which).content;
  if (content === "none" || content === "normal" || content.charCodeAt(0) !== 34) return "";
  const match = /^"((?:[^"\\]|\\.)*)"(?:\s*\/\s*"((?:[^"\\]|\\.)*)")?$/.exec(content);
  return match ? (match[2] === undefined ? match[1] : match[2]).replace(/\\(.)/g, "$1") : "";
}

function cased(text, el) {
  if (!/\p{L}/u.test(text)) return text;
  return transformed(text, getComputedStyle(el).textTransform);
}

function transformed(text, how) {
  if (how === "uppercase") return text.toUpperCase();
  if (how === "lowercase") return text.toLowerCase();
  if (how === "capitalize") return text.replace(/(^|[\s(\["-])(\p{Ll})/gu, (all, a, b) => a + b.toUpperCase());
  return text;
}

function childrenPart(el, hiddenToo, asker) {
  let text = pseudo(el, "::before");
  const nodes = el.shadowRoot ? el.shadowRoot.childNodes
    : el.localName === "slot" && el.assignedNodes().length ? el.assignedNodes() : el.childNodes;
  for (const node of nodes) {
    if (node.nodeType === 3) text += cased(node.nodeValue, el);
    else if (node.nodeType === 1) text += namePart(node, hiddenToo, asker);
  }
  return text + pseudo(el, "::after");
}

// The contribution of one element to another's name; `asker` is the control being named, left out of its own label.
function namePart(el, hiddenToo, asker) {
  const tag = el.localName;
  if (el === asker || tag === "script" || tag === "style" || tag === "template") return "";
  if (tag === "br") return " ";
  const style = getComputedStyle(el);
  if (!hiddenToo) {
    if (style.display === "none" || style.visibility === "hidden") return "";
    if (el.getAttribute("aria-hidden") === "true") return "";
  }
  const label = el.getAttribute("aria-label");
  let text = label ? label : ownPart(el, tag, hiddenToo, asker);
  if (!/^(inline|contents|none)$/.test(style.display)) text = " " + text + " ";
  return text;
}

function ownPart(el, tag, hiddenToo, asker) {
  if (tag === "img") return el.getAttribute("alt") || el.getAttribute("title") || "";
  if (tag === "svg") return childText(el, "title");
  if (tag === "select") return Array.from(el.selectedOptions, (o) => o.text).join(" ");
  if (tag === "textarea") return el.value;
  if (tag === "input") {
    if (el.type === "checkbox" || el.type === "radio" || el.type === "password") return "";
    return el.type === "button" || el.type === "submit" || el.type === "reset" ? inputName(el) : el.value;
  }
  const text = childrenPart(el, hiddenToo, asker);
  return text.trim() ? text : el.getAttribute("title") || text;
}

function descriptionOf(el, name) {
  const ids = el.getAttribute("aria-describedby");
  const parts = [
    ids ? referenced(el, ids).map((target) => namePart(target, true)).join(" ") : "",
    el.getAttribute("aria-description"), el.getAttribute("title"), el.getAttribute("placeholder"),
  ];
  for (const part of parts) {
    const text = part ? tidy(part) : "";
    if (text && text !== name) return text;
  }
  return seenText(el, name);
}

// The visible text of a control whose author gave it another name, such as the 3 of "Go to page 3".
function seenText(el, name) {
  if (!name || !el.hasAttribute("aria-label") && !el.hasAttribute("aria-labelledby") || CLOSED.has(el.localName) || el.isContentEditable) return "";
  const text = NAMED_BY_CONTENT.has(roleOf(el, el.localName)) && el.textContent.length <= LONGEST_LABEL ? tidy(textOf(el)) : "";
  return text !== name ? text : "";
}

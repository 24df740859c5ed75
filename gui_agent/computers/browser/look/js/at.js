// The top element at one point: queried just before a click.

// JSON of {ids, document, tag, type, role, editable, words, frame, view, ratio} for a point in screenshot pixels; `ids` are the
// listed elements there, innermost first; `frame` is the number of a frame there that must be queried itself.
function at(x, y, view) {
  let frame = rootFrame(window, view);
  const ratio = view ? view.ratio : devicePixelRatio;
  let [px, py] = into(frame, [x / ratio, y / ratio, 0, 0]);
  let hit = deep(frame, px, py);
  const ids = [];
  while (hit && (hit.localName === "iframe" || hit.localName === "frame")) {
    const style = getComputedStyle(hit);
    const content = contentOf(hit, rectOf(hit), style);
    if (!hit.contentDocument) {
      const box = outOf(frame, content);
      return JSON.stringify({
        ...told(hit), ids: idsAround(hit, []), changed: [], document: birth, frame: own(hit), view: { content: box, clip: box, path: "", ratio },
        ratio,
      });
    }
    const inner = childFrame(hit, frame, content, content);
    [px, py] = into(inner, outOf(frame, [px, py, px, py]));
    const next = deep(inner, px, py);
    if (!next) break;
    frame = inner;
    hit = next;
  }
  if (!hit) return JSON.stringify(null);
  textIds(hit, px, py, ids);
  idsAround(hit, ids);
  return JSON.stringify({ ids, changed: changedAround(hit), document: birth, frame: 0, view: null, ratio, ...told(hit) });
}

function idsAround(hit, ids) {
  const inner = hit.nodeType === 1 && hit.childElementCount < 9 ? hit.querySelectorAll(STOOD_FOR) : [];
  if (inner.length === 1 && listed.has(inner[0])) ids.push(listed.get(inner[0])); // around its only field
  for (let node = hit; node; node = above(node)) {
    if (node.nodeType !== 1) continue;
    if (listed.has(node)) ids.push(listed.get(node));
    if (standing.has(node)) ids.push(listed.get(standing.get(node)));
    if (node.localName === "label" && node.control && listed.has(node.control)) ids.push(listed.get(node.control));
  }
  return ids;
}

function deep(frame, x, y) {
  frame.shadows = true;
  return under(frame, x, y);
}

function textIds(hit, x, y, ids) {
  const probe = hit.ownerDocument.createRange();
  const walker = hit.ownerDocument.createTreeWalker(hit, 4);
  for (let node = walker.nextNode(), left = 200; node && left; node = walker.nextNode(), left--) {
    const own = runs.get(node);
    if (!own || ids.includes(own)) continue;
    probe.selectNodeContents(node);
    const box = probe.getBoundingClientRect();
    if (x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1) ids.push(own);
  }
}

function told(hit) {
  const tag = hit.localName;
  if (tag === "form") return { tag, type: "", role: "form", name: "", editable: false, blank: false, words: 'form "' + short(tidy(textOf(hit)), 60) + '"' };
  const role = roleOf(hit, tag);
  const typed = TYPED.has(role) || hit.isContentEditable;
  const kind = (hit.getAttribute("class") || "").trim();
  const mark = hit.id ? "#" + hit.id : kind ? "." + kind.split(/\s+/)[0] : "";
  const name = nameOf(hit, role, tag) || tidy((hit.innerText ?? textOf(hit)).slice(0, 500));
  const text = short(name, 60);
  return {
    tag, type: tag === "input" || tag === "button" ? hit.type : "", role, name,
    editable: !!typed && !isDisabled(hit) && hit.readOnly !== true, blank: /^(generic)?$/.test(role) && drawsNothing(hit),
    words: tag + mark + (text ? ' "' + text + '"' : ""),
  };
}

// Whether it is see-through, like the layer that takes the mouse above a drawing.
function drawsNothing(el) {
  const style = getComputedStyle(el);
  const bare = style.backgroundImage === "none" && style.borderStyle === "none" && !/^(img|canvas|video|svg)$/.test(el.localName);
  const says = [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  return bare && !says && !el.ownerSVGElement && !colourName(style.backgroundColor);
}

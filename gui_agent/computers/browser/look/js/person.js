// Queries of the recorder of a person: the listed elements at a node, and the position of its frame in the picture.

let viewed = null; // positions of the cross-origin frames at the last look

// Numbers of the listed elements at a node of any frame of this origin, innermost first.
function idsAt(node, x, y) {
  const ids = [];
  if (x !== undefined) textIds(node, x, y, ids);
  idsAround(node, ids);
  return ids.length ? ids : onlyText(node);
}

// The only text in an unlisted element, such as the entry of a plain list; none if there are more.
function onlyText(node) {
  const walker = node.ownerDocument.createTreeWalker(node, 4);
  const found = new Set();
  for (let text = walker.nextNode(), left = 50; text && left; text = walker.nextNode(), left--) {
    if (runs.has(text)) found.add(runs.get(text));
  }
  return found.size === 1 ? [...found] : [];
}

// Numbers of the listed elements and texts in a node, in document order.
function idsIn(node) {
  const walker = node.ownerDocument.createTreeWalker(node, 5);
  const found = new Set();
  for (let inner = node, left = 200; inner && left; inner = walker.nextNode(), left--) {
    const own = listed.get(inner) || runs.get(inner);
    if (own) found.add(own);
  }
  return [...found];
}

// The point of a frame of this origin, in screenshot pixels.
function inPicture(win, x, y) {
  let frame = win;
  while (frame !== window && frame.frameElement) {
    const owner = frame.frameElement;
    const content = contentOf(owner, rectOf(owner), getComputedStyle(owner));
    x = content[0] + (frame.innerWidth ? x * (content[2] - content[0]) / frame.innerWidth : x);
    y = content[1] + (frame.innerHeight ? y * (content[3] - content[1]) / frame.innerHeight : y);
    frame = frame.parent;
  }
  const box = outOf(rootFrame(window, viewed), [x, y, x, y]);
  const ratio = viewed ? viewed.ratio : devicePixelRatio;
  return [Math.round(box[0] * ratio), Math.round(box[1] * ratio)];
}

const look = (cap) => take(cap, viewed);

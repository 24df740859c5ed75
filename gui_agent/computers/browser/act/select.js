// Selects words in an element that has them exactly once; returns how often it has them.
(words) => (element) => {
  const places = (text) => {
    const found = [];
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) found.push(at);
    return found;
  };
  if (typeof element.setSelectionRange === "function") {
    const found = places(element.value);
    if (found.length === 1) {
      element.focus();
      element.setSelectionRange(found[0], found[0] + words.length);
    }
    return found.length;
  }
  // The text as it is shown, with single spaces, and where each of its characters stands.
  let text = "";
  const origins = [];
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility()) continue;
    [...node.data].reduce((at, letter) => {
      const shown = /\s/.test(letter) ? " " : letter;
      if (shown !== " " || !text.endsWith(" ")) {
        text += shown;
        for (let unit = 0; unit < shown.length; unit++) origins.push([node, at + unit]);
      }
      return at + letter.length;
    }, 0);
  }
  const found = places(text);
  if (found.length === 1) {
    const [first, last] = [origins[found[0]], origins[found[0] + words.length - 1]];
    if (element.isContentEditable) element.focus();
    element.ownerDocument.getSelection().setBaseAndExtent(first[0], first[1], last[0], last[1] + 1);
  }
  return found.length;
}

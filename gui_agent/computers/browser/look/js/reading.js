// The complete text of a document, including parts out of view, open shadow roots and frames of its origin.
const MOST_TEXT = 200_000;

function wholeText() {
  const parts = [];
  const read = (root) => {
    const own = root.body ?? root;
    parts.push(own.innerText ?? [...own.children].map((child) => child.innerText ?? "").join("\n"));
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) read(one.shadowRoot);
      if (one.tagName === "IFRAME" && one.contentDocument?.body) read(one.contentDocument);
    }
  };
  if (document.body) read(document);
  return JSON.stringify(parts.join("\n").slice(0, MOST_TEXT));
}

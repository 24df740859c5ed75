// The options of a list that a page builds itself and that are in sight: those that the control names or holds,
// else all options and menu items of the page, else the items of the lists that float above it.
(control) => {
  const ROLES = "[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]";
  const doc = control.ownerDocument;
  const root = control.getRootNode();
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const within = (place, query) => {
    const found = [...place.querySelectorAll(query)];
    for (const node of place.querySelectorAll("*")) if (node.shadowRoot) found.push(...within(node.shadowRoot, query));
    return found;
  };
  const floating = (element) => {
    for (let at = element; at && at !== doc.body; at = at.parentElement) {
      const { position, zIndex } = doc.defaultView.getComputedStyle(at);
      if (position === "fixed" || (position === "absolute" && zIndex !== "auto")) return true;
    }
    return false;
  };
  const named = ["aria-controls", "aria-owns"]
    .flatMap((name) => (control.getAttribute(name) || "").split(/\s+/).filter(Boolean))
    .map((id) => root.getElementById?.(id) || doc.getElementById(id))
    .filter(Boolean);
  const sources = [
    () => named.flatMap((list) => within(list, `${ROLES},li`)),
    () => within(control, ROLES),
    () => within(doc, ROLES),
    () => within(control.parentElement || doc, "li"),
    () => within(doc, "li").filter(floating),
  ];
  for (const source of sources) {
    const options = source().filter(shown);
    if (options.length) {
      return options.map((element) => ({
        element,
        text: (element.innerText || element.getAttribute("aria-label") || "").trim().replace(/\s+/g, " "),
      }));
    }
  }
  return [];
}

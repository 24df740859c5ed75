// The options of a list that a page builds itself and that are in sight: those that the control names or holds,
// else the options, menu items and floating list items that were not in sight `before` the control was used.
(control, before) => {
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
  const related = [
    () => named.flatMap((list) => within(list, `${ROLES},li`)),
    () => within(control, ROLES),
  ];
  const others = [
    () => within(doc, ROLES),
    () => within(control.parentElement || doc, "li"),
    () => within(doc, "li").filter(floating),
  ];
  const described = (elements) => elements.map((element) => ({
    element,
    text: (element.innerText || element.getAttribute("aria-label") || "").trim().replace(/\s+/g, " "),
  }));
  for (const source of related) {
    const options = source().filter(shown);
    if (options.length) return described(options);
  }
  if (!before) return [];
  for (const source of others) {
    const options = source().filter((element) => shown(element) && !before.has(element));
    if (options.length) return described(options);
  }
  return [];
}

// The visible options of a list that a page builds itself: those that the control names or contains, or the radio
// buttons of its group, else the options, menu items, floating list items and floating texts that were not visible
// `before` the control was used.
(control, before) => {
  const ROLES = "[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]";
  const doc = control.ownerDocument;
  const root = control.getRootNode();
  const folded = (element) => element && element.offsetHeight < 2 && doc.defaultView.getComputedStyle(element).overflowY === "hidden";
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || box.height <= 4 || folded(element.parentElement) || folded(element.parentElement?.parentElement)) return false;
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const within = (place, query) => {
    const found = [...place.querySelectorAll(query)];
    for (const node of [place, ...place.querySelectorAll("*")]) {
      if (node.shadowRoot) found.push(...within(node.shadowRoot, query));
      if (node.localName !== "slot") continue;
      for (const given of node.assignedElements({ flatten: true })) found.push(...(given.matches(query) ? [given] : []), ...within(given, query));
    }
    return found;
  };
  const up = (element) => element.assignedSlot || element.parentElement || element.getRootNode().host;
  const floating = (element, layers = true) => {
    for (let at = element; at && at !== doc.body; at = up(at)) {
      const { position, zIndex } = doc.defaultView.getComputedStyle(at);
      if (position === "fixed" || at.matches(":popover-open") || (position === "absolute" && !(layers && zIndex === "auto"))) return true;
    }
    return false;
  };
  const group = () => {
    const inner = control.closest("label")?.control;
    if (inner && inner !== control && inner.type === "radio") control = inner;
    const isRadio = control.matches("input[type=radio],[role=radio]");
    const RADIOS = "input[type=radio],[role=radio]";
    const holderOf = (from) => {
      for (let at = from; at; at = up(at)) if (at.matches("[role=radiogroup],fieldset")) return at;
      return null;
    };
    const holder = holderOf(control);
    if (holder) return within(doc, RADIOS).filter((radio) => holderOf(radio) === holder);
    if (isRadio && control.name) return [...root.querySelectorAll(`input[type=radio][name="${CSS.escape(control.name)}"]`)];
    const size = Number(control.getAttribute("aria-setsize"));
    let around = isRadio && size > 1 ? control : null;
    while (around && around.querySelectorAll("[role=radio]").length < size) around = around.parentElement;
    return around ? [...around.querySelectorAll("[role=radio]")] : [];
  };
  const named = ["aria-controls", "aria-owns"]
    .flatMap((name) => (control.getAttribute(name) || "").split(/\s+/).filter(Boolean))
    .map((id) => root.getElementById?.(id) || doc.getElementById(id))
    .filter(Boolean);
  const said = (element) => (element.innerText || element.getAttribute("aria-label") || "").trim().replace(/\s+/g, " ");
  // A radio button may be clipped to nothing; then its label is clicked.
  const asRadio = (radio) => {
    const label = radio.labels && radio.labels[0];
    const name = radio.getAttribute("aria-label") || (label && said(label)) || said(radio) || label?.textContent.trim() || radio.value || "";
    return { element: label && shown(label) ? label : radio, text: name, radio };
  };
  const worded = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && /\S/.test(node.data));
  const open = control.getAttribute("aria-expanded") === "true";
  const related = [
    () => named.flatMap((list) => within(list, `${ROLES},li`)),
    () => within(control, ROLES),
    () => (open ? within(doc, "[role=option]") : []),
    () => (open ? within(doc, "*").filter((element) => worded(element) && floating(element)) : []),
  ];
  const others = [
    () => within(doc, ROLES),
    () => within(control.parentElement || doc, "li"),
    () => within(doc, "li").filter(floating),
    () => within(doc, "*").filter((element) => worded(element) && floating(element, false)),
    () => within(doc, "li"),
  ];
  const radios = group();
  if (radios.length) return radios.map(asRadio);
  const described = (elements) => [...new Set(elements)].map((element) => ({ element, text: said(element) }));
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

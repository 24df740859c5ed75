// Queries about fields for dates, times and colours. Each function gets the field, and some the elements visible `before`
// it was used.
({
  // The parts of a date or time that are separate fields, at the field or around it.
  segments(element) {
    const FIELDS = "input:not([type=hidden]):not([hidden]):not([aria-hidden=true]),textarea,select";
    for (let at = element, left = 6; at && left; at = at.parentElement || at.getRootNode().host, left--) {
      if (at.matches(FIELDS) || [...at.querySelectorAll(FIELDS)].some((one) => one.offsetWidth > 4)) break;
      const inner = this.all(at).filter((one) => one.matches("[role=spinbutton]:not(input)"));
      if (inner.length > 1) return inner;
      if (at.localName === "form" || at.localName === "body") break;
    }
    return [];
  },
  kind(one) {
    const label = [...["data-type", "aria-label", "data-segment"].map((name) => one.getAttribute(name)),
      one.getAttribute("aria-valuetext") === "Empty" ? one.textContent : ""].join(" ").toLowerCase();
    const named = ["year", "month", "day", "hour", "minute", "second"].find((kind) =>
      kind !== "day" ? label.includes(kind) : /\bday\b(?!period)/.test(label));
    if (/dayperiod|meridiem|am\/pm/.test(label)) return "half";
    const most = Number(one.getAttribute("aria-valuemax"));
    return named || (most > 100 ? "year" : most === 12 ? "month" : most <= 31 && most > 27 ? "day" : "");
  },
  // Whether something has opened with the field.
  opened(control, before) {
    if (control.getAttribute("aria-expanded") === "true") return true;
    const large = (one) => one.offsetHeight > 30 && one.offsetWidth > 60
      && one.checkVisibility({ visibilityProperty: true });
    const floats = (one) => ["fixed", "absolute"].includes(getComputedStyle(one).position);
    const days = (one) => (one.innerText.match(/(?<!\d)([1-9]|[12]\d|3[01])(?!\d)/g) || []).length > 27;
    return [...control.ownerDocument.querySelectorAll("body *")].some(
      (one) => large(one) && (!before.has(one) || floats(one) && days(one)));
  },
  // The text field for a colour: one that appeared, or one beside it.
  colourField(control, before) {
    const own = [control, ...this.all(control.parentElement || control)];
    const fields = this.all(control.ownerDocument).filter((one) => one.localName === "input" && one.checkVisibility()
      && (!before.has(one) || own.includes(one)));
    return fields.find((one) => /^#?[0-9a-f]{6,8}$/i.test(one.value)) || null;
  },
  // The button that applies the choice.
  confirm(field) {
    for (let at = field, left = 8; at && left; at = at.parentElement || at.getRootNode().host, left--) {
      const found = [...at.querySelectorAll("button,[role=button]")].find(
        (one) => one.checkVisibility() && /^(ok|apply|confirm|choose|done|set)$/i.test(one.innerText.trim()));
      if (found) return found;
    }
    return null;
  },
  // The next Enter submits no form; a click on its button right after does.
  holdSubmit() {
    const stop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
    const free = () => { for (const end of ["keyup", "pointerdown"]) removeEventListener(end, free, true); removeEventListener("submit", stop, true); };
    addEventListener("submit", stop, true);
    for (const end of ["keyup", "pointerdown"]) addEventListener(end, free, true);
    setTimeout(free, 500);
  },
  all(root) {
    return [...root.querySelectorAll("*")].flatMap((one) => (one.shadowRoot ? [one, ...this.all(one.shadowRoot)] : [one]));
  },
})

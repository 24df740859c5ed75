// The form control at an element: the element itself, its label's control, an ancestor that is one, or the invisible
// control behind what is drawn in its place.
(element) => {
  const ROLES = "[role=checkbox],[role=switch],[role=radio],[role=menuitemcheckbox],[role=menuitemradio]," +
    "[role=combobox],[role=listbox],[role=textbox],[role=searchbox],[role=spinbutton],[role=slider],[aria-pressed]";
  const FORM = "input,select,textarea,button";
  const body = element.ownerDocument.body;  // the space below an editor's last line belongs to the editor
  if (element === element.ownerDocument.documentElement && body?.isContentEditable) return body;
  const option = element.closest("option,optgroup");
  const own = option ? option.closest("select") : element.closest(`${FORM},${ROLES}`);
  const label = element.closest("label");
  const editable = element.isContentEditable ? element.closest("[contenteditable]") || body : null;
  const unseen = (field, top) => {
    if (field !== top && field.parentElement !== top && unseen(field.parentElement, top)) return true;
    const { opacity, clip, clipPath } = getComputedStyle(field);
    const { width, height } = field.getBoundingClientRect();
    return opacity < 0.01 || clip !== "auto" || clipPath !== "none" || width < 6 || height < 6;
  };
  const behind = () => {
    for (let at = element, left = 4; at && left; at = at.parentElement, left--) {
      const inner = at.querySelectorAll("input:not([type=hidden]):not([hidden]):not([aria-hidden=true]),select,textarea");
      // An element in another cell or entry is a different one.
      if (inner.length) return inner.length === 1 && unseen(inner[0], at) ? inner[0] : null;
      if (at.matches("td,th,tr,li,[role=row],[role=cell],[role=gridcell],[role=columnheader]")) break;
    }
    return null;
  };
  return own || editable || (label && (label.control || label.querySelector(ROLES))) || behind() || element;
}

// What the form control at an element is: the element itself, its label's control, or an ancestor that is one.
(element) => {
  const ROLES = "[role=checkbox],[role=switch],[role=radio],[role=menuitemcheckbox],[role=menuitemradio]," +
    "[role=combobox],[role=listbox],[role=textbox],[role=searchbox],[role=spinbutton],[role=slider],[aria-pressed]";
  const FORM = "input,select,textarea,button";
  const option = element.closest("option,optgroup");
  const own = option ? option.closest("select") : element.closest(`${FORM},${ROLES}`);
  const label = element.closest("label");
  const editable = element.isContentEditable ? element.closest("[contenteditable]") : null;
  return own || editable || (label && (label.control || label.querySelector(ROLES))) || element;
}

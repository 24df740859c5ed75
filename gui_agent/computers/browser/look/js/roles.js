// Roles of elements, as the browser's accessibility tree reports them.

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", file: "button", color: "button",
  checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
};
const TAG_ROLES = {
  button: "button", textarea: "textbox", option: "option", optgroup: "group", datalist: "listbox",
  h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading",
  progress: "progressbar", meter: "meter", output: "status", canvas: "canvas", table: "table", tr: "row",
  li: "listitem", ul: "list", ol: "list", menu: "list", nav: "navigation", main: "main", dialog: "dialog",
  details: "group", fieldset: "group", hr: "separator", dt: "term", dd: "definition", p: "paragraph",
  article: "article", aside: "complementary", figure: "figure", video: "video", audio: "audio",
  label: "label", iframe: "iframe", form: "form", search: "search", thead: "rowgroup", tbody: "rowgroup",
  tfoot: "rowgroup",
};
const KNOWN = new Set(
  ("alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form " +
    "generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee " +
    "math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option " +
    "paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search " +
    "searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist " +
    "tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem").split(" "),
);
const OPERABLE = new Set(
  ("button link textbox searchbox combobox checkbox radio switch slider spinbutton option listbox tab " +
    "menuitem menuitemcheckbox menuitemradio treeitem scrollbar").split(" "),
);
const TOLD = new Set("heading img progressbar meter canvas video".split(" "));
const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);
const NAMED_BY_CONTENT = new Set(
  ("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio " +
    "option radio row rowheader switch tab tooltip treeitem").split(" "),
);
const TEXT_LIST = new Set(["text", "search", "email", "url", "tel", ""]);

function roleOf(el, tag) {
  const given = el.getAttribute("role");
  if (given) {
    for (const word of given.toLowerCase().split(/\s+/)) {
      if (!KNOWN.has(word)) continue;
      if (word === "none" || word === "presentation") {
        if (el.hasAttribute("tabindex") || OPERABLE.has(nativeRole(el, tag))) break;
        return "generic";
      }
      return word === "image" ? "img" : word;
    }
  }
  return nativeRole(el, tag);
}

function nativeRole(el, tag) {
  switch (tag) {
    case "a": case "area":
      return el.hasAttribute("href") ? "link" : "generic";
    case "input": {
      const type = el.type;
      if (el.hasAttribute("list") && TEXT_LIST.has(type)) return "combobox";
      return INPUT_ROLES[type] || "textbox";
    }
    case "select":
      return el.multiple || el.size > 1 ? "listbox" : "combobox";
    case "img":
      return el.getAttribute("alt") === "" && !el.hasAttribute("aria-label") && !el.title ? "generic" : "img";
    case "summary":
      return el.parentNode && el.parentNode.localName === "details" ? "button" : "generic";
    case "td":
      return tableRole(el) === "table" ? "cell" : "gridcell";
    case "th":
      return headerRole(el);
    case "section":
      return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "generic";
    default:
      return TAG_ROLES[tag] || "generic";
  }
}

function tableRole(cell) {
  const table = cell.closest("table");
  const role = table && table.getAttribute("role");
  return role === "grid" || role === "treegrid" ? role : "table";
}

function headerRole(cell) {
  const scope = cell.getAttribute("scope");
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = cell.parentNode;
  const alone = !row.querySelector("td");
  return alone || cell.closest("thead") ? "columnheader" : "rowheader";
}

const isEditable = (el) => {
  const given = el.getAttribute("contenteditable");
  return given !== null && given !== "false" || el.localName === "body" && el.ownerDocument.designMode === "on";
};

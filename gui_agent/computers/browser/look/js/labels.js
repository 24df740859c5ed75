// The labels of a value by structure: the term of a definition, the headers of a cell, a label.

const VALUES = "dd, td, th, output, [role=cell], [role=gridcell], [role=definition], [aria-labelledby]";
const HEADERS = "th, [role=columnheader], [role=rowheader]";
const PLAIN = new Set("generic definition status paragraph time code meter progressbar timer math term".split(" "));
const LONGEST_LABEL = 80;

// The texts that label an element's content; `known` caches the results of this look: labels of values,
// and the headers of tables, which may be values themselves.
function valueLabels(el, known) {
  for (let value = el.closest(VALUES); value; value = value.parentElement && value.parentElement.closest(VALUES)) {
    let labels = known.labels.get(value);
    if (!labels) known.labels.set(value, labels = labelsAround(value, known));
    if (labels.length) return labels;
    if (/^(td|th|dd)$/.test(value.localName) || CELLS.has(value.getAttribute("role"))) return [];
  }
  return [];
}

function labelsAround(el, known) {
  const tag = el.localName;
  const role = roleOf(el, tag);
  const texts = CELLS.has(role) ? headersOf(el, role, known)
    : tag === "dd" ? termsOf(el).map(labelText)
      : tag === "output" ? [labelledName(el) || labelsOf(el)]
        : PLAIN.has(role) && !el.querySelector("[aria-labelledby]") ? [labelledName(el)] : [];
  return texts.filter((text) => text && text.length <= LONGEST_LABEL);
}

const labelText = (el) => labelledName(el) || contentOfName(el);

function termsOf(el) {
  const terms = [];
  for (let before = el.previousElementSibling; before; before = before.previousElementSibling) {
    if (before.localName === "dt") terms.unshift(before);
    else if (terms.length || before.localName !== "dd") break;
  }
  return terms;
}

// The headers of a cell: those it names, else those of its row and its column. In a row of two cells
// without a header, the first one labels the second one.
function headersOf(cell, role, known) {
  const named = cell.getAttribute("headers");
  if (named) return referenced(cell, named).map(labelText);
  const row = cell.closest("tr, [role=row]");
  const table = cell.closest("table, [role=table], [role=grid], [role=treegrid]");
  if (!row || !table || /^(presentation|none)$/.test(table.getAttribute("role"))) return [];
  const cells = cellsOf(row);
  const place = cells.indexOf(cell);
  const own = place > 0 && (cells.slice(0, place).reverse().find((one) => headerKind(one) === "rowheader")
    || (cells.length === 2 && !cells.some((one) => one.matches(HEADERS)) ? cells[0] : null));
  const top = headerKind(cell) === "columnheader" ? null : columnHeader(cell, cells, table, known);
  return [own, top].filter(Boolean).map(labelText);
}

const headerKind = (cell) => (cell.matches(HEADERS) ? roleOf(cell, cell.localName) : "");
const cellsOf = (row) => Array.from(row.querySelectorAll("td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]"))
  .filter((one) => one.closest("tr, [role=row]") === row);

function columnHeader(cell, cells, table, known) {
  let headers = known.headers.get(table);
  if (!headers) {
    headers = new Map();
    for (const one of table.querySelectorAll(HEADERS)) {
      if (headerKind(one) !== "columnheader") continue;
      const [from, to] = columnsOf(one, cellsOf(one.closest("tr, [role=row]") || table));
      for (let column = from; column < to; column++) headers.set(column, one);
    }
    known.headers.set(table, headers);
  }
  return headers.get(columnsOf(cell, cells)[0]);
}

// The columns that a cell covers: [first, after the last].
function columnsOf(cell, cells) {
  const given = parseInt(cell.getAttribute("aria-colindex"), 10);
  let from = given ? given - 1 : 0;
  if (!given) for (const one of cells) {
    if (one === cell) break;
    from += spanOf(one);
  }
  return [from, from + spanOf(cell)];
}

const spanOf = (cell) => cell.colSpan || parseInt(cell.getAttribute("aria-colspan"), 10) || 1;

// Questions about a page that its own document answers. Given: [id, left, top, width, height] of what is listed.
(listed) => {
  const text = (node) => (node.innerText || node.textContent || "").replace(/\s+/g, " ").trim();
  const deepest = (x, y) => {
    let node = document.elementFromPoint(x, y);
    while (node && node.shadowRoot) {
      const inner = node.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === node) break;
      node = inner;
    }
    return node;
  };
  const up = (node, selector) => {
    while (node) {
      const found = node.closest && node.closest(selector);
      if (found) return found;
      const root = node.getRootNode();
      node = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };
  const nodes = new Map();
  for (const [id, left, top, width, height] of listed) {
    const node = deepest(left + Math.floor(width / 2), top + Math.floor(height / 2));
    if (node) nodes.set(id, node);
  }
  const asked = [];
  const inside = (part) => [...nodes].filter(([, node]) => part !== node && part.contains(node)).map(([id]) => id);

  // Rows of tables that have one row of headers and no joined cells.
  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.rows].filter((row) => up(row, "table") === table);
    const joined = rows.some((row) => [...row.cells].some((cell) => cell.colSpan > 1 || cell.rowSpan > 1));
    const head = rows.filter((row) => [...row.cells].length > 1 && [...row.cells].every((cell) => cell.tagName === "TH"));
    const body = rows.filter((row) => !row.closest("thead") && [...row.cells].some((cell) => cell.tagName === "TD"));
    if (joined || head.length > 1 || body.length < 2 || body.some((row) => row.querySelector("table"))) continue;
    if (new Set(body.map((row) => row.cells.length)).size > 1) continue;
    const heads = head.length ? [...head[0].cells].map(text) : [];
    const keyOf = (row) => {
      const cells = [...row.cells].filter((cell) => text(cell) && !cell.querySelector("button, select"));
      const alone = cells.filter((cell) => body.filter((other) => [...other.cells].some((one) => text(one) === text(cell))).length === 1);
      return (cells.find((cell) => cell.tagName === "TH") || alone[0]) ?? null;
    };
    const keys = body.map((row) => keyOf(row) && text(keyOf(row)));
    body.forEach((row, place) => {
      const ids = inside(row);
      const key = keys[place];
      if (ids.length < 2 || !key) return;
      const box = row.getBoundingClientRect();
      if (box.top < 0 || box.bottom > innerHeight) return;
      const keyIds = ids.filter((id) => keyOf(row).contains(nodes.get(id)));
      if (!keyIds.length) return;
      for (const id of ids.filter((one) => !keyIds.includes(one)).slice(-4)) {
        asked.push({ kind: "record", of: id, parts: ids });
        asked.push({ kind: "key", of: id, any: keyIds, text: key });
      }
      const said = [...nodes].filter(([, node]) => text(node) === key);
      if (!said.some(([id]) => keyIds.includes(id)) || said.some(([, node]) => !row.contains(node))) return;
      if (keys.filter((other) => other === key).length > 1 || key.length > 60) return;
      asked.push({ kind: "named", phrase: key, parts: ids });
      heads.forEach((name, column) => {
        const cell = row.cells[column];
        if (!cell || !name || cell === keyOf(row) || heads.filter((other) => other === name).length > 1) return;
        const there = ids.filter((id) => cell.contains(nodes.get(id)));
        if (there.length) asked.push({ kind: "cell", column: name, row: key, any: there });
      });
      for (const cell of row.cells) {
        const said = text(cell);
        const alone = /^\d+$/.test(said) && !keys.some((other) => other.split(/\W+/).includes(said));
        if (alone && cell !== keyOf(row) && inside(cell).length) {
          const sum = [...nodes.values()].filter((node) => text(node) === said).length;
          const elsewhere = [...nodes.values()].some((node) => text(node) === said && !up(node, "tr"));
          if (!elsewhere && sum) asked.push({ kind: "no key", phrase: said });
        }
      }
    });
  }

  // Items of lists that hold a control and something that is said about it.
  for (const list of document.querySelectorAll("ul, ol, [role=list]")) {
    const items = [...list.children].filter((item) => item.matches("li, [role=listitem]"));
    if (items.length < 3 || items.some((item) => item.querySelector("li, table"))) continue;
    const held = items.map(inside);
    if (held.some((ids) => ids.length < 2)) continue;
    items.forEach((item, place) => {
      const own = [...nodes].filter(([, node]) => node === item).map(([id]) => id);
      for (const id of held[place].slice(-2)) asked.push({ kind: "record", of: id, parts: [...held[place], ...own] });
    });
  }

  // Labels, where the label is listed as a text of its own.
  for (const [id, node] of nodes) {
    if (!node.matches("input, select, textarea") || !node.labels || node.labels.length !== 1) continue;
    const label = node.labels[0];
    if (label.contains(node)) continue;
    const said = text(label);
    const texts = [...nodes].filter(([other, one]) => other !== id && label.contains(one)).map(([other]) => other);
    if (said && texts.length === 1) asked.push({ kind: "label", of: id, text: said, by: texts[0] });
  }

  const shown = [...document.querySelectorAll("dialog[open], [role=dialog], [role=alertdialog]")].filter(
    (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getBoundingClientRect().width);
  asked.push({ kind: "dialog", shown: shown.length > 0 });
  return asked;
}

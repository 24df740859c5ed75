// The next click in a calendar that is in sight and was not `before`, to reach a day: {element, last}, or null without a
// calendar or a way on. Calendars are recognized by a month, a year, and a grid of day numbers.
(root, [before, year, month, day]) => {
  const doc = root.ownerDocument || root;
  const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
  const all = (place) => [...place.querySelectorAll("*")].flatMap((one) => (one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one]));
  const box = (one) => one.getBoundingClientRect();
  const up = (one) => one.assignedSlot || one.parentElement || one.getRootNode().host || null;
  const inSight = (one) => box(one).height > 4 && box(one).width > 4 && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const shown = all(doc).filter((one) => inSight(one) && !(before && before.has(one)));
  const said = (one) => (one.innerText || "").replace(/\s+/g, " ").trim();
  const leaf = (one) => !one.querySelector("*") || [...one.childNodes].some((node) => node.nodeType === 3 && /\S/.test(node.data));
  const days = shown.filter((one) => leaf(one) && /^(0?[1-9]|[12]\d|3[01])$/.test(said(one)));
  if (days.length < 28) return null;
  const chosen = (panel) => {
    const list = [...panel.querySelectorAll("select")].map((one) => one.selectedOptions[0]?.text || "").find((text) => MONTHS.includes(text.slice(0, 3).toLowerCase()));
    const field = [...panel.querySelectorAll("input")].find((one) => /^\d{4}$/.test(one.value));
    return list && field ? `${list} ${field.value}` : "";
  };
  const titleOf = (panel) => {
    const text = (chosen(panel) || said(panel)).toLowerCase();
    const found = text.match(new RegExp(`(${MONTHS.join("|")})[a-z]*\\.?,?\\s*(\\d{4})|(\\d{4})\\s*(${MONTHS.join("|")})`));
    return found ? { month: MONTHS.indexOf(found[1] || found[4]) + 1, year: Number(found[2] || found[3]) } : null;
  };
  const panels = new Map();
  for (const one of days) {
    for (let at = up(one); at && at !== doc.body; at = up(at)) {
      if (panels.has(at)) { panels.get(at).cells.push(one); break; }
      const title = titleOf(at);
      if (title) { panels.set(at, { ...title, cells: [one], panel: at }); break; }
    }
  }
  const real = [...panels.values()].filter((one) => one.cells.length >= 28);
  if (!real.length) return null;
  const right = real.find((one) => one.year === year && one.month === month);
  if (right) {
    const same = right.cells.filter((one) => Number(said(one)) === day);
    const cell = same[day > 15 ? same.length - 1 : 0];
    return cell ? { element: cell, last: true } : null;
  }
  const months = (one) => one.year * 12 + one.month;
  const wanted = year * 12 + month;
  const from = wanted > months(real[real.length - 1]) ? real[real.length - 1] : real[0];
  const forward = wanted > months(from);
  const top = Math.min(...from.cells.map((one) => box(one).top));
  const bottom = Math.max(...from.cells.map((one) => box(one).bottom));
  const layer = shown.filter((one) => one.matches("button,[role=button],a,[tabindex],[class]") && box(one).width <= 64 && box(one).height <= 64);
  const label = (one) => `${one.getAttribute("aria-label") || ""} ${one.title || ""} ${one.getAttribute("class") || ""}`.toLowerCase();
  const far = Math.abs(wanted - months(from)) >= 12;
  const ways = forward ? /next|forward|later/ : /prev|back|earlier/;
  const named = (unit) => layer.find((one) => ways.test(label(one)) && (!unit || label(one).includes(unit)));
  const byName = (far && named("year")) || named("month") || named("");
  if (byName) return { element: byName, last: false };
  const header = shown.filter((one) => leaf(one) && new RegExp(MONTHS.join("|"), "i").test(said(one)) && box(one).bottom <= top + 2 && box(one).bottom > top - 120)
    .sort((a, b) => box(b).top - box(a).top)[0];
  if (!header) return null;
  const level = layer.filter((one) => {
    const middle = (box(one).top + box(one).bottom) / 2;
    return middle > box(header).top - 12 && middle < box(header).bottom + 12 && !said(one).match(/\d|[a-z]{3}/i)
      && (one.matches("button,[role=button],a,[tabindex]") || getComputedStyle(one).cursor === "pointer");
  });
  const after = level.filter((one) => box(one).left >= box(header).right - 2).sort((a, b) => box(a).left - box(b).left);
  const prior = level.filter((one) => box(one).right <= box(header).left + 2).sort((a, b) => box(b).left - box(a).left);
  const element = prior.length ? (forward ? after : prior)[0] : after[forward ? after.length - 1 : 0];
  return element && bottom ? { element, last: false } : null;
}

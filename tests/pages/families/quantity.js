// Stepping a quantity up or down in the right row.
{
  const goods = some(NOUNS, int(3, 5)), what = pick(goods), start = Object.fromEntries(goods.map((g) => [g, int(3, 6)]));
  const count = start[what] + pick([-3, -2, -1, 1, 2, 3]), now = { ...start };
  main.append(el("h2", {}, "Your basket"), ...goods.map((name) => {
    const shown = el("span", { class: "count" }, String(now[name]));
    const step = (by) => { now[name] += by; shown.textContent = String(now[name]); };
    return el("div", { class: "card" }, el("b", {}, name), " ", el("button", { "aria-label": "less", onclick: () => step(-1) }, "−"), " ", shown, " ", el("button", { "aria-label": "more", onclick: () => step(1) }, "+"));
  }), el("button", { onclick: () => final(now) }, "Order"));
  task(`Set the quantity of ${what} to ${count} and order`, { what, by: count - start[what] }, { ...start, [what]: count });
}

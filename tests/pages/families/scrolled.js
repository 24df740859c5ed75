// A long page; what is wanted may be far below.
{
  const names = some(NOUNS, int(22, 30)), what = pick(names);
  main.append(el("h2", {}, "Catalogue"), ...names.map((name) => el("div", { class: "card", style: "height:70px" }, el("b", {}, name), el("p", {}, el("button", { onclick: () => final(name) }, "Order")))));
  task(`Order the ${what}`, { what }, what);
}

// A search box and its results; the n-th is wanted.
{
  const word = pick(NOUNS), rank = int(1, 4), names = ["first", "second", "third", "fourth"];
  const box = el("input", { type: "search" }), list = el("div");
  const go = () => {
    list.replaceChildren(el("p", {}, "Results for " + box.value), ...[0, 1, 2, 3, 4].map((i) =>
      el("div", { class: "card" }, el("a", { href: "#r" + i, class: "hit", onclick: () => final([box.value, i + 1]) }, sentence(3)), el("p", {}, sentence(4)))));
  };
  const run = el("button", { onclick: go }, "Search");
  main.append(...(random() < 0.5 ? [field("Find", box), run] : [run, field("Find", box)]), list);
  task(`Search for "${word}" and open the ${names[rank - 1]} result`, { word, rank }, [word, rank]);
}

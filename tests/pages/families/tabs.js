// Tabs with links; the tab that has the link is not known.
{
  const words = shuffle(NOUNS), tabs = Array.from({ length: int(3, 4) }, () => [0, 1, 2].map(() => words.pop()));
  const link = pick(tabs.flat()), panel = el("div", { role: "tabpanel" });
  const heads = tabs.map((inside, i) => el("button", { role: "tab", "aria-selected": "false", onclick: () => show(i) }, "Part " + (i + 1)));
  function show(i) {
    heads.forEach((head, k) => head.setAttribute("aria-selected", String(k === i)));
    panel.replaceChildren(el("p", {}, sentence(5)), ...tabs[i].map((word) => el("p", {}, el("a", { href: "#l", onclick: () => final(word) }, word))));
  }
  main.append(el("div", { role: "tablist" }, ...heads), panel);
  show(0);
  task(`Find the link "${link}" and click it`, { link, tab: tabs.findIndex((t) => t.includes(link)) }, link);
}

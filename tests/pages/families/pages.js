// Records over several pages.
{
  const names = people(int(14, 22)), who = names[int(3, names.length - 1)], size = int(4, 6);
  let page = 0;
  const list = el("ul"), last = Math.ceil(names.length / size) - 1, count = el("span");
  const next = el("button", { onclick: () => { page++; show(); } }, "Next"), back = el("button", { onclick: () => { page--; show(); } }, "Previous");
  function show() {
    list.replaceChildren(...names.slice(page * size, page * size + size).map((n) => el("li", {}, el("a", { href: "#x", onclick: () => final(["open", n]) }, n))));
    count.textContent = ` page ${page + 1} of ${last + 1} `;
    next.disabled = page === last;
    back.disabled = page === 0;
  }
  main.append(el("h3", {}, "Members"), list, el("div", {}, ...(random() < 0.5 ? [back, count, next] : [back, next, count])));
  show();
  task(`Open the record of ${who}`, { who }, ["open", who]);
}

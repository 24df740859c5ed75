// The same action on every card of one person.
{
  const names = people(3), who = pick(names), posts = shuffle([who, who, ...(random() < 0.5 ? [who] : []), names[0], names[1], names[2]]);
  const liked = [];
  main.append(el("h2", {}, "Posts"), ...posts.map((name, i) => {
    const heart = el("button", { "aria-pressed": "false", onclick: () => { heart.setAttribute("aria-pressed", "true"); if (!liked.includes(i)) liked.push(i); } }, "Like");
    return el("div", { class: "card" }, el("b", {}, name), el("p", {}, sentence(4)), ...shuffle([heart, el("button", {}, "Share")]));
  }), el("button", { onclick: () => final(liked.slice().sort()) }, "Done"));
  task(`Like all posts of ${who} and press Done`, { who, indexes: posts.flatMap((n, i) => (n === who ? [i] : [])) }, posts.flatMap((n, i) => (n === who ? [i] : [])));
}

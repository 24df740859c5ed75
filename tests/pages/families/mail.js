// A list of mails: star, delete or answer one; the wording says which.
{
  const names = people(int(5, 8)), who = pick(names), kind = pick(["star", "delete", "reply"]), text = sentence(4);
  const list = el("div"), reader = el("div", { hidden: true });
  const open = (name, subject) => {
    const answer = el("textarea", { rows: 2 }), form = el("div", { hidden: true }, field("Your answer", answer),
      el("button", { onclick: () => final(["reply", name, answer.value]) }, "Send"));
    reader.replaceChildren(el("h3", {}, subject), el("p", {}, "From " + name), el("p", {}, sentence(7)),
      ...shuffle([el("button", { onclick: () => final(["star", name]) }, "Star"), el("button", { onclick: () => final(["delete", name]) }, "Delete"),
        el("button", { onclick: () => { form.hidden = false; } }, "Reply")]), form);
    list.hidden = true;
    reader.hidden = false;
  };
  for (const name of names) {
    const subject = sentence(3);
    list.append(el("div", { class: "card" }, el("b", {}, name), el("p", {}, el("a", { href: "#m", onclick: () => open(name, subject) }, subject))));
  }
  main.append(el("h2", {}, "Inbox"), list, reader);
  const said = { star: `Mark the mail from ${who} with a star`, delete: `Delete the mail from ${who}`, reply: `Answer the mail from ${who} with "${text}"` };
  task(said[kind], { who, kind, text }, kind === "reply" ? [kind, who, text] : [kind, who]);
}

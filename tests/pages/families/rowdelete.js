// A table with a button in each row, and a dialog that asks back.
{
  const names = people(int(5, 9)), who = pick(names);
  const columns = shuffle(["Name", "City", "Since"]);
  const box = el("div", { class: "dialog", hidden: true, role: "dialog", "aria-label": "Confirm" });
  const rows = names.map((name) => {
    const cells = { Name: name, City: pick(CITIES), Since: String(int(1990, 2024)) };
    const ask = () => {
      box.replaceChildren(el("p", {}, "Delete " + name + "?"), ...shuffle([
        el("button", { onclick: () => { box.hidden = true; final(["delete", name]); } }, "Yes, delete"),
        el("button", { onclick: () => { box.hidden = true; } }, "Cancel"),
      ]));
      box.hidden = false;
    };
    return el("tr", {}, ...columns.map((c) => el("td", {}, cells[c])), el("td", {}, el("button", {}, "Edit"), " ", el("button", { onclick: ask }, "Delete")));
  });
  main.append(el("table", {}, el("tr", {}, ...columns.map((c) => el("th", {}, c)), el("th", {}, "")), ...rows), box);
  task(`Delete the entry of ${who}`, { who }, ["delete", who]);
}

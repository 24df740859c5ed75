// A value is looked up in a table and typed into a form.
{
  const names = people(int(5, 8)), who = pick(names), key = pick(["Phone", "City", "Room"]);
  const columns = ["Name", ...shuffle(["Phone", "City", "Room"])];
  const data = Object.fromEntries(names.map((n) => [n, { Name: n, Phone: "555-" + int(1000, 9999), City: pick(CITIES), Room: pick("ABCD".split("")) + int(100, 499) }]));
  const given = el("input");
  main.append(el("table", {}, el("thead", {}, el("tr", {}, ...columns.map((c) => el("th", {}, c)))),
    el("tbody", {}, ...names.map((n) => el("tr", {}, ...columns.map((c) => el("td", {}, data[n][c])))))),
    field("Answer", given), el("button", { onclick: () => final(given.value) }, "Submit"));
  task(`What is the ${key} of ${who}? Enter it as the answer and submit.`, { who, key, value: data[who][key] }, data[who][key]);
}

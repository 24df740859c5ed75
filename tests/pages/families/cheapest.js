// The row with the smallest number in a column.
{
  const count = int(4, 7), prices = some(Array.from({ length: 80 }, (_, i) => 40 + i * 7), count), columns = shuffle(["Carrier", "Stops", "Price"]);
  const to = pick(CITIES), best = Math.min(...prices), names = some(LAST, count).map((n) => n + " Air");
  main.append(el("h2", {}, "Flights to " + to), el("table", {}, el("tr", {}, ...columns.map((c) => el("th", {}, c)), el("th", {}, "")), ...prices.map((price, i) => {
    const cells = { Carrier: names[i], Stops: String(int(0, 3)), Price: "$" + price };
    return el("tr", {}, ...columns.map((c) => el("td", {}, cells[c])), el("td", {}, el("button", { onclick: () => final(price) }, "Select")));
  })));
  task(`Take the cheapest flight`, { index: prices.indexOf(best) }, best);
}

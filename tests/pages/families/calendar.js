// A calendar that shows one month at a time.
{
  const MONTHS = "January February March April May June July August September October November December".split(" ");
  let month = int(3, 8), year = int(2022, 2025);
  const goal = new Date(year, month + pick([-3, -2, -1, 1, 2, 3]), int(1, 28));
  const title = el("span"), grid = el("table"), chosen = el("p", {}, "no day chosen");
  let day = "";
  function show() {
    title.textContent = ` ${MONTHS[month]} ${year} `;
    const first = new Date(year, month, 1).getDay(), count = new Date(year, month + 1, 0).getDate(), rows = [];
    for (let start = 1 - first; start <= count; start += 7)
      rows.push(el("tr", {}, ...[0, 1, 2, 3, 4, 5, 6].map((i) => el("td", {}, start + i < 1 || start + i > count ? "" : button(start + i)))));
    grid.replaceChildren(...rows);
  }
  const button = (number) => el("button", { onclick: () => { day = `${year}-${month + 1}-${number}`; chosen.textContent = "chosen: " + day; } }, String(number));
  const move = (by) => { const d = new Date(year, month + by, 1); month = d.getMonth(); year = d.getFullYear(); show(); };
  main.append(el("div", {}, el("button", { onclick: () => move(-1), "aria-label": "Previous month" }, "‹"), title, el("button", { onclick: () => move(1), "aria-label": "Next month" }, "›")),
    grid, chosen, el("button", { onclick: () => final(day) }, "Book"));
  show();
  const text = `${MONTHS[goal.getMonth()]} ${goal.getDate()}, ${goal.getFullYear()}`;
  task(`Book ${text}`, { text, day: String(goal.getDate()), months: (goal.getFullYear() - year) * 12 + goal.getMonth() - month },
    `${goal.getFullYear()}-${goal.getMonth() + 1}-${goal.getDate()}`);
}

// A number that stands on the first page is asked for on the second.
{
  const number = pick(["A", "B", "C"]) + "-" + int(10000, 99999), why = pick(["broken", "late", "too small", "wrong colour", "incomplete"]);
  const facts = shuffle([["Customer number", "K" + int(1000, 9999)], ["Order number", number], ["Placed on", int(1, 28) + " May"], ["Items", String(int(2, 9))]]);
  const first = el("section", {}, el("h3", {}, "Your last order"), el("table", {}, ...facts.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, value)))), el("button", { onclick: () => onward() }, "Return it"));
  const asked = el("input"), reason = el("input");
  const fields = [field("Order number", asked), field("Reason", reason)];
  const second = el("section", {}, el("h3", {}, "Returns"), ...(random() < 0.5 ? fields : fields.reverse()), el("button", { onclick: () => final(["return", asked.value, reason.value]) }, "Submit"));
  function onward() {
    first.replaceWith(second);
  }
  main.append(first);
  task(`Return the order because it is ${why}`, { number, why }, ["return", number, why]);
}

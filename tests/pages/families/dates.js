// A date that the form wants in another notation.
{
  const day = new Date(int(2020, 2026), int(0, 11), int(1, 28)), two = (n) => String(n).padStart(2, "0");
  const text = day.toLocaleDateString("en-US", { year: "numeric", month: "long", day: "numeric" });
  const iso = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const from = el("input", { placeholder: "YYYY-MM-DD" }), who = el("input"), guest = person();
  main.append(...shuffle([field("Arrival", from), field("Guest", who)]), el("button", { onclick: () => final([from.value, who.value]) }, "Reserve"));
  task(`Reserve a room for ${guest} from ${text}`, { iso, guest }, [iso, guest]);
}

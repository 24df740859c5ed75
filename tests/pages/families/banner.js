// A question that is in the way only sometimes.
{
  const stay = int(2, 9), city = pick(CITIES), where = el("input"), nights = el("input"), there = SEED % 2 === 1;
  const box = el("div", { class: "dialog", role: "dialog", "aria-label": "Cookies", style: "width:300px;height:200px;left:0;top:0;width:100%;height:90%" }, el("p", {}, "We use cookies."),
    el("button", { onclick: () => box.remove() }, "Accept"), " ", el("button", { onclick: () => box.remove() }, "Settings"));
  main.append(...shuffle([field("City", where), field("Nights", nights)]), el("button", { onclick: () => final([where.value, nights.value]) }, "Find rooms"));
  if (there) document.body.append(box);
  task(`Find rooms in ${city} for ${stay} nights`, { city, stay: String(stay), there }, [city, String(stay)]);
}

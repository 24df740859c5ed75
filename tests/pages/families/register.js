// A long form, every kind of field, in any order. Values are given by name; wanted are those of `?seed`.
{
  const values = {
    first_name: pick(FIRST), last_name: pick(LAST), e_mail: pick(NOUNS) + "@" + pick(NOUNS) + ".org", phone: "555-" + int(1000, 9999),
    street: int(1, 99) + " " + capital(pick(NOUNS)) + " Road", city: pick(CITIES), postcode: String(int(10000, 99999)),
    country: pick(["Austria", "Brazil", "Canada", "Denmark"]), date_of_birth: `${int(1950, 2004)}-0${int(1, 9)}-${int(10, 28)}`,
    company: capital(pick(NOUNS)) + " Ltd", title: pick(["Dr", "Ms", "Mr"]), remarks: sentence(5),
  };
  const captions = { first_name: "First name", last_name: "Last name", e_mail: "E-mail", phone: "Phone", street: "Street", city: "City", postcode: "Postcode", country: "Country", date_of_birth: "Date of birth", company: "Company", title: "Title", remarks: "Remarks" };
  const controls = Object.fromEntries(Object.keys(values).map((key) => [key,
    key === "country" ? select(["Austria", "Brazil", "Canada", "Denmark"]) : key === "title" ? select(["Dr", "Mr", "Ms"]) : key === "remarks" ? el("textarea") : el("input", { type: key === "date_of_birth" ? "date" : "text" })]));
  const grid = el("div", { class: random() < 0.5 ? "cols" : "" }, ...shuffle(Object.keys(values)).map((key) => field(captions[key], controls[key])));
  main.append(el("h2", {}, "Registration"), grid, el("button", { onclick: () => final(Object.values(controls).map((c) => c.value)) }, "Register"));
  task("Register the new member", values, Object.values(values));
}

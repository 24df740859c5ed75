// A form over three pages.
{
  const who = person(), city = pick(CITIES), plan = pick(["Basic", "Plus", "Family"]);
  const name = el("input"), town = el("input"), plans = ["Basic", "Plus", "Family"].map((p) => [p, el("input", { type: "radio", name: "plan" })]);
  const pages = [[field("Full name", name)], [field("City", town)], shuffle(plans).map(([p, r]) => el("label", { class: "row" }, r, " " + p))];
  let page = 0;
  const body = el("div"), next = el("button", { onclick: () => { page < 2 ? (page++, show()) : final([name.value, town.value, (plans.find((p) => p[1].checked) || [""])[0]]); } });
  const show = () => { body.replaceChildren(el("h3", {}, `Step ${page + 1} of 3`), ...pages[page]); next.textContent = page < 2 ? "Continue" : "Finish"; };
  main.append(body, el("div", {}, next));
  show();
  task(`Sign up ${who} from ${city} for the ${plan} plan`, { who, city, plan }, [who, city, plan]);
}

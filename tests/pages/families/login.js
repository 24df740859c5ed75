// A login form, sometimes behind a cookie banner.
{
  const user = pick(FIRST).toLowerCase() + int(1, 99), pass = pick(NOUNS) + int(10, 99);
  const name = el("input"), word = el("input", { type: "password" });
  const enter = el("button", { onclick: () => final([name.value, word.value]) }, "Log in");
  const links = el("p", {}, el("a", { href: "#forgot" }, "Forgot password?"), " ", el("a", { href: "#new" }, "Create account"));
  main.append(el("h2", {}, "Welcome"), field("User name", name), field("Password", word), ...shuffle([enter, links]));
  task(`Log in as "${user}" with the password "${pass}"`, { user, pass }, [user, pass]);
}

// A contact form with fields in any order.
{
  const who = person(), subject = sentence(2), text = sentence(5), topic = pick(["Sales", "Support", "Press", "Jobs"]);
  const name = el("input"), mail = el("input", { type: "email" }), about = el("input"), body = el("textarea", { rows: 2 });
  const list = select(["Jobs", "Press", "Sales", "Support"]);
  const address = who.split(" ")[0].toLowerCase() + "@" + pick(NOUNS) + ".org";
  main.append(el("h2", {}, "Contact us"));
  main.append(...shuffle([field("Name", name), field("E-mail", mail), field("Subject", about), field("Topic", list), field("Message", body)]));
  main.append(el("button", { onclick: () => final([name.value, mail.value, about.value, list.value, body.value]) }, "Send"));
  task(`Write to ${topic} as ${who} (${address}) about "${subject}": "${text}"`, { who, address, subject, text, topic }, [who, address, subject, topic, text]);
}

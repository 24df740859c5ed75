// Boxes to tick, as many as the instruction lists.
{
  const words = some(NOUNS, int(6, 12)), chosen = some(words, int(1, 4));
  const boxes = words.map((word) => [word, el("input", { type: "checkbox" })]);
  main.append(el("h3", {}, "Things to pack"), ...boxes.map(([word, box]) => el("div", {}, el("label", {}, box, " " + word))),
    el("button", { onclick: () => final(boxes.filter((b) => b[1].checked).map((b) => b[0]).sort()) }, "Submit"));
  const listed = chosen.length > 1 ? chosen.slice(0, -1).join(", ") + " and " + chosen[chosen.length - 1] : chosen[0];
  task(`Select ${listed}, then click Submit`, { chosen }, chosen.slice().sort());
}

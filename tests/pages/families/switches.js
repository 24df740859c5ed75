// Settings to turn on and off.
{
  const words = some(["Sounds", "Alerts", "Backups", "Previews", "Autosave", "Hints", "Sync", "Location"], int(4, 7)), [on, off] = some(words, 2);
  const boxes = shuffle(words).map((word) => [word, el("input", { type: "checkbox" })]);
  for (const [word, box] of boxes) box.checked = word === on ? false : word === off ? true : random() < 0.5;
  const wanted = Object.fromEntries(boxes.map(([w, b]) => [w, w === on ? true : w === off ? false : b.checked]));
  main.append(el("h2", {}, "Settings"), ...boxes.map(([word, box]) => el("div", { class: "row" }, el("label", {}, box, " " + word))),
    el("button", { onclick: () => final(Object.fromEntries(boxes.map(([w, b]) => [w, b.checked]))) }, "Save"));
  task(`Turn on ${on}, turn off ${off} and save`, { on, off }, wanted);
}

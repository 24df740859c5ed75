// Cards with a button each that opens a dialog with a field.
{
  const files = some(NOUNS, int(4, 7)).map((n) => n + pick([".txt", ".pdf", ".odt"])), old = pick(files), to = pick(NOUNS) + int(1, 50) + ".txt";
  const box = el("div", { class: "dialog", hidden: true, role: "dialog", "aria-label": "Rename" });
  const open = (file) => {
    const name = el("input", { value: file });
    box.replaceChildren(field("New name", name), ...shuffle([
      el("button", { onclick: () => { box.hidden = true; final([file, name.value]); } }, "OK"), el("button", { onclick: () => { box.hidden = true; } }, "Cancel")]));
    box.hidden = false;
  };
  main.append(...files.map((file) => el("div", { class: "card" }, el("b", {}, file), el("p", {}, int(1, 900) + " kB"),
    ...shuffle([el("button", {}, "Share"), el("button", { onclick: () => open(file) }, "Rename"), el("button", {}, "Copy")]))), box);
  task(`Rename the file ${old} to "${to}"`, { old, to }, [old, to]);
}

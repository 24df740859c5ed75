// A file dialog: folders to open until the file shows.
{
  const words = shuffle(NOUNS), folders = [], files = [];
  for (let i = 0; i < int(3, 5); i++) folders.push([capital(words.pop()), [0, 1, 2].slice(0, int(1, 3)).map(() => words.pop() + ".txt")]);
  for (const [, inside] of folders) files.push(...inside);
  const file = pick(files);
  let chosen = "";
  const tree = el("ul", { role: "tree" });
  for (const [folder, inside] of folders) {
    const list = el("ul", { role: "group", hidden: true }, ...inside.map((name) => el("li", { role: "treeitem", onclick: (e) => { chosen = name; e.stopPropagation(); said.textContent = "Chosen: " + name; } }, name)));
    const head = el("button", { "aria-expanded": "false", onclick: () => { list.hidden = !list.hidden; head.setAttribute("aria-expanded", String(!list.hidden)); } }, folder);
    tree.append(el("li", {}, head, list));
  }
  const said = el("p", {}, "Nothing chosen");
  main.append(el("h3", {}, "Open a file"), tree, said, ...shuffle([el("button", { onclick: () => final(chosen) }, "Open"), el("button", {}, "Cancel")]));
  task(`Open the file "${file}"`, { file, folder: folders.find((f) => f[1].includes(file))[0] }, file);
}

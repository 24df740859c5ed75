// A menu bar; an entry of a menu is wanted.
{
  const all = { File: ["New", "Open", "Save", "Save as", "Print"], Edit: ["Undo", "Redo", "Cut", "Copy", "Paste"], View: ["Zoom in", "Zoom out", "Full screen"], Tools: ["Spelling", "Word count", "Macros"] };
  const bar = el("div", { class: "bar", role: "menubar" });
  for (const name of shuffle(Object.keys(all))) {
    const menu = el("div", { class: "menu", role: "menu", hidden: true }, ...shuffle(all[name]).map((entry) =>
      el("button", { role: "menuitem", onclick: () => { menu.hidden = true; final([name, entry]); } }, entry)));
    const top = el("button", { role: "menuitem", "aria-haspopup": "menu", style: "display:inline;width:auto", onclick: () => {
      for (const other of bar.querySelectorAll(".menu")) if (other !== menu) other.hidden = true;
      menu.hidden = !menu.hidden;
    } }, name);
    bar.append(el("span", {}, top, menu));
  }
  main.append(bar, el("p", {}, sentence(6)));
  const menu = pick(Object.keys(all)), entry = pick(all[menu]);
  task(`Choose "${entry}" from the ${menu} menu`, { menu, entry }, [menu, entry]);
}

// Coloured shapes without names.
{
  const colours = ["red", "green", "blue", "yellow", "black"], used = some(colours, int(3, 5)), want = pick(used);
  main.append(el("div", {}, ...used.map((c) => el("button", { style: `background:${c};width:${int(40, 90)}px;height:${int(30, 60)}px;margin:8px;border:0`, onclick: () => final(c) }))));
  task(`Click the ${want} box`, { want, index: used.indexOf(want) }, want);
}

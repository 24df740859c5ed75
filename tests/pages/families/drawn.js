// Drawn shapes are counted, and the number is clicked.
{
  const colours = ["red", "green", "blue", "black"], shapes = ["circle", "rectangle", "triangle"];
  const all = Array.from({ length: int(6, 9) }, (_, i) => ({ colour: pick(colours), shape: pick(shapes), side: i < 1 ? 40 : pick([18, 40]) }));
  all.push({ colour: pick(colours), shape: pick(shapes), side: 18 });
  const namespace = "http://www.w3.org/2000/svg", picture = document.createElementNS(namespace, "svg");
  const draw = (tag, attributes) => {
    const made = document.createElementNS(namespace, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    picture.append(made);
  };
  picture.setAttribute("width", 400);
  picture.setAttribute("height", 160);
  all.forEach(({ colour, shape, side }, i) => {
    const x = 30 + 70 * (i % 5), y = 30 + 70 * Math.floor(i / 5), half = side / 2;
    if (shape === "circle") draw("circle", { cx: x, cy: y, r: half, fill: colour });
    else if (shape === "rectangle") draw("rect", { x: x - half, y: y - half, width: side, height: side, fill: colour });
    else draw("polygon", { points: `${x - half},${y + half} ${x},${y - half} ${x + half},${y + half}`, fill: colour });
  });
  const size = pick(["small", "large", ""]), colour = pick([...colours, ""]), shape = pick([...shapes, "item"]);
  const fits = (one) => (!size || (one.side > 20) === (size === "large")) && (!colour || one.colour === colour) && (shape === "item" || one.shape === shape);
  const count = String(all.filter(fits).length);
  main.append(picture, el("div", {}, ...shuffle("0 1 2 3 4 5 6 7 8 9 10".split(" ")).map((n) => el("button", { onclick: () => final(n) }, n))));
  task(`How many ${[size, colour, shape].filter(Boolean).join(" ")}s are drawn?`, { count }, count);
}

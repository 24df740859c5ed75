// What all page families share: a seeded generator, names, layout that changes with the seed, and the verdict.

const query = new URLSearchParams(location.search);
const FAMILY = query.get("family");
const SEED = Number(query.get("seed"));
const main = document.getElementById("main");

let state = (SEED * 2654435761 + FAMILY.length * 40503 + 12345) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
for (let i = 0; i < 5; i++) random();
const int = (from, to) => from + Math.floor(random() * (to - from + 1));
const pick = (list) => list[int(0, list.length - 1)];
function shuffle(list) {
  const copy = list.slice();
  for (let i = copy.length - 1; i > 0; i--) {
    const j = int(0, i);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
const some = (list, count) => shuffle(list).slice(0, count);

const FIRST = "Ada Grace Alan Edsger Barbara Donald Frances Ken Dennis Radia Tim Margaret Linus Hedy Niklaus Adele Ivan Lois Peter Jean Maria Carlos Aiko Priya Olga Sven".split(" ");
const LAST = "Lovelace Hopper Turing Dijkstra Liskov Knuth Allen Thompson Ritchie Perlman Berners Hamilton Torvalds Lamarr Wirth Goldberg Sutherland Haibt Naur Sammet Silva Ortiz Tanaka Rao Petrova Berg".split(" ");
const NOUNS = "harbour lantern meadow orchard pebble quarry ribbon saddle timber violin walnut anchor basket candle dagger engine feather garden hammer island jacket kettle ladder magnet needle oyster pillow rocket shovel tunnel umbrella valley whistle".split(" ");
const CITIES = "Oslo Lima Cairo Quito Delhi Perth Dakar Turin Lyon Porto Kyoto Busan Leeds Malmo Tampa Accra".split(" ");
const person = () => pick(FIRST) + " " + pick(LAST);
function people(count) {
  const last = some(LAST, count);
  return some(FIRST, count).map((first, i) => first + " " + last[i]);
}
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const sentence = (words) => capital(some(NOUNS, words).join(" "));

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// The look of this seed: fonts, widths, an optional banner and aside, so that nothing stands where it stood.
const look = { font: pick(["14px sans-serif", "16px serif", "15px monospace"]), pad: int(0, 60), top: int(0, 50), colon: pick(["", ":", " *"]) };
document.body.style.font = look.font;
main.style.paddingLeft = look.pad + "px";
main.style.paddingTop = look.top + "px";
document.title = capital(FAMILY);
if (random() < 0.5) document.body.insertBefore(el("p", { class: "c" + int(1, 99) }, sentence(4)), main);
if (random() < 0.4) document.body.insertBefore(el("nav", {}, el("a", { href: "#home" }, "Home"), " ", el("a", { href: "#help" }, "Help")), main);

// A field with its label beside, above or around it, as the seed has it.
const labelling = int(0, 2);
function field(caption, control) {
  const text = caption + look.colon;
  control.id = control.id || "f" + int(1000, 9999);
  if (labelling === 0) return el("div", { class: "row" }, el("label", { for: control.id }, text), " ", control);
  if (labelling === 1) return el("div", { class: "row" }, el("label", { for: control.id }, text), el("br"), control);
  return el("label", { class: "row", style: "display:block" }, text + " ", control);
}
const select = (options) => el("select", {}, el("option", { value: "" }, "…"), ...options.map((o) => el("option", {}, o)));

let finals = [];
function final(what) {
  finals.push(what);
  if (!document.getElementById("done")) main.append(el("p", { id: "done" }, "Done. Thank you."));
}
window.__instruction = "";
window.__goal = {};
let wanted = "";
function task(instruction, goal, outcome) {
  window.__instruction = instruction;
  window.__goal = goal;
  wanted = JSON.stringify(outcome);
}
// right: the one final action was the wanted one. wrong: some final action was not.
window.__result = () => ({
  right: finals.length === 1 && JSON.stringify(finals[0]) === wanted,
  wrong: finals.filter((one) => JSON.stringify(one) !== wanted).length + Math.max(0, finals.length - 1),
  finals, wanted,
});

"use strict";
// A picture shared by several steps is embedded once; the other steps copy its address.
for (const image of document.querySelectorAll("img[data-same-as]")) {
  image.src = document.getElementById(image.dataset.sameAs).src;
}

const steps = [...document.querySelectorAll("article.card")];
const links = new Map([...document.querySelectorAll("nav.strip a")].map((a) => [a.hash.slice(1), a]));
const viewer = document.getElementById("viewer");
let current = -1;

function mark(index) {
  if (index === current || !steps[index]) return;
  current = index;
  for (const link of links.values()) link.removeAttribute("aria-current");
  const link = links.get(steps[index].id);
  if (!link) return;
  link.setAttribute("aria-current", "step");
  const strip = link.parentElement;
  strip.scrollLeft = link.offsetLeft - strip.clientWidth / 2;
}

function go(index) {
  const next = Math.max(0, Math.min(steps.length - 1, index));
  if (!steps[next]) return;
  mark(next);
  steps[next].scrollIntoView({ block: "start" });
  steps[next].focus({ preventScroll: true });
  if (viewer.open) enlarge(steps[next].querySelector(".shot"));
}

function show(shot, which) {
  if (!shot || !shot.querySelector(".toggle")) return;
  shot.dataset.view = which;
  for (const button of shot.querySelectorAll(".toggle button")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === which));
  }
}

function enlarge(shot) {
  if (!shot) return;
  const view = shot.querySelector(`.view.${shot.dataset.view}`).cloneNode(true);
  for (const image of view.querySelectorAll("img")) image.removeAttribute("id");
  viewer.querySelector(".stage").replaceChildren(view);
  const title = shot.closest(".card").querySelector("h3").textContent;
  const side = shot.querySelector(".toggle") ? ` (${shot.dataset.view})` : "";
  viewer.querySelector("p").textContent = title + side;
  if (!viewer.open) viewer.showModal();
}

const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

/** The command line that does a step and all later ones, from the address before it. */
function commandFrom(step) {
  const said = steps.slice(steps.indexOf(step)).map((one) => one.dataset.command).filter(Boolean);
  const start = step.dataset.start ? ` --url ${quoted(step.dataset.start)}` : "";
  return `guiagent run ${quoted(said.join("; "))}${start}`;
}

for (const again of document.querySelectorAll("details.again")) {
  again.addEventListener("toggle", () => {
    const text = again.querySelector("textarea");
    if (!text.value) text.value = commandFrom(again.closest("article"));
  });
}

document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const text = copy.parentElement.querySelector("textarea");
    text.select();
    // A page from a file may have no clipboard of its own.
    return navigator.clipboard ? navigator.clipboard.writeText(text.value) : document.execCommand("copy");
  }
  const button = event.target.closest(".toggle button");
  if (button) return show(button.closest(".shot"), button.dataset.show);
  if (viewer.open && (event.target.closest("dialog button") || !event.target.closest(".view"))) {
    return viewer.close();
  }
  const view = event.target.closest("[data-enlarge]");
  if (view && !viewer.open) enlarge(view.closest(".shot"));
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("pre, summary, textarea")) return;
  const shot = steps[current] && steps[current].querySelector(".shot");
  if (event.key === "ArrowRight") go(current + 1);
  else if (event.key === "ArrowLeft") go(current - 1);
  else if (event.key.toLowerCase() === "b" && shot) {
    show(shot, shot.dataset.view === "before" ? "after" : "before");
    if (viewer.open) enlarge(shot);
  } else if (event.key === "Enter" && shot && !viewer.open && !event.target.closest("a, button")) enlarge(shot);
  else return;
  event.preventDefault();
});

// The step that crosses the upper third of the window is the current one.
const watcher = new IntersectionObserver(
  (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => mark(steps.indexOf(e.target))),
  { rootMargin: "-20% 0px -70% 0px" },
);
steps.forEach((step) => watcher.observe(step));

"use strict";
const byId = (id) => document.getElementById(id);
const known = new Map();

function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

function show(worker) {
  let card = known.get(worker.name);
  if (!card) {
    card = byId("card").content.firstElementChild.cloneNode(true);
    known.set(worker.name, card);
    byId("workers").append(card);
  }
  const [image, missing] = card.querySelectorAll(".screen > *");
  if (worker.picture && image.getAttribute("src") !== worker.picture) image.src = worker.picture;
  image.hidden = !worker.picture;
  missing.hidden = Boolean(worker.picture);
  image.alt = `The last screen of ${worker.task || "the worker"}`;
  card.classList.toggle("left", !worker.alive);
  card.querySelector("h2").textContent = worker.task || (worker.alive ? "Between two episodes" : "Finished");
  card.querySelector(".doing").textContent = worker.doing;
  const counts = [count(worker.steps, "step", "steps")];
  if (worker.seconds !== null) counts.push(`${worker.seconds} s`);
  counts.push(`${count(worker.episodes, "episode", "episodes")} done`);
  card.querySelector(".counts").textContent = counts.join(" · ");
}

async function refresh() {
  let pause = 1000;
  if (!document.hidden) {
    try {
      const answer = await fetch("/state");
      if (!answer.ok) throw new Error(answer.status);
      const told = await answer.json();
      byId("head").textContent = told.head;
      byId("note").textContent = "";
      const names = new Set(told.workers.map((worker) => worker.name));
      for (const [name, card] of known) {
        if (names.has(name)) continue;
        card.remove();
        known.delete(name);
      }
      told.workers.forEach(show);
      byId("failed").hidden = !told.failures.length;
      byId("failures").replaceChildren(...told.failures.map((line) => {
        const item = document.createElement("li");
        item.textContent = line;
        return item;
      }));
      if (!told.going) pause = 5000;
    } catch {
      byId("note").textContent = "This page is no longer served; what you see is the last state.";
    }
  }
  setTimeout(refresh, pause);
}
refresh();

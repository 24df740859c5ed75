import { createElement } from "react";
import { createRoot } from "react-dom/client";

// Shows the kind of widget that the address asks for; `set` keeps what the application got from it.
export function mount(cells, Around, wording) {
  window.kinds = Object.keys(cells);
  window.wording = wording;
  const kind = new URLSearchParams(location.search).get("kind");
  if (!kind) return;
  const set = (value) => { window.state = value; };
  const page = createElement(cells[kind], { set });
  createRoot(document.getElementById("root")).render(Around ? createElement(Around, null, page) : page);
}

export const COUNTRIES = ["Austria", "Brazil", "Canada", "Denmark"];
export const DESTINATIONS = ["Finland", "Iceland", "Norway", "Sweden"];
export const COLOURS = ["Red", "Green", "Blue"];
export const PEOPLE = [{ id: 1, name: "Ada", age: 36 }, { id: 2, name: "Bea", age: 28 }, { id: 3, name: "Cyd", age: 41 }];

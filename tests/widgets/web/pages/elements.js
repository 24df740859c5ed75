// Shows the kind of widget that the address asks for: HTML, and how the application hears of what is set.
export function mount(cells, wording) {
  window.kinds = Object.keys(cells);
  window.wording = wording;
  const kind = new URLSearchParams(location.search).get("kind");
  if (!kind) return;
  const [html, ready] = [].concat(cells[kind]);
  const root = document.getElementById("root");
  root.innerHTML = html;
  const set = (value) => { window.state = value; };
  if (ready) ready(set, (query) => root.querySelector(query));
}

// The application keeps the value of an element, made of it by `of`, at each event of a kind.
export const keeps = (query, event, of = (el) => el.value) => (set, $) => {
  const el = $(query);
  el.addEventListener(event, (e) => set(of(el, e)));
};
export const each = (list, tag, attributes = "") => list.map((one) => `<${tag} value="${one}" ${attributes}>${one}</${tag}>`).join("");
export const COUNTRIES = ["Austria", "Brazil", "Canada", "Denmark"];
export const COLOURS = ["Red", "Green", "Blue"];
export const DESTINATIONS = ["Finland", "Iceland", "Norway", "Sweden"];
export const clicked = (set, query, value = true) => document.querySelector(query).addEventListener("click", () => set(value));

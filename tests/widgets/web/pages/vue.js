import { createApp } from "vue/dist/vue.esm-bundler.js";

// Shows the kind of widget that the address asks for: a template, with `set` for what the application gets from it.
export function mount(cells, prepare, around = "%", wording = undefined) {
  window.kinds = Object.keys(cells);
  window.wording = wording;
  const kind = new URLSearchParams(location.search).get("kind");
  if (!kind) return;
  const [template, data] = [].concat(cells[kind]);
  const app = createApp({
    template: around.replace("%", template),
    data: () => ({ value: null, open: false, countries: ["Austria", "Brazil", "Canada", "Denmark"], colours: ["Red", "Green", "Blue"],
      destinations: ["Finland", "Iceland", "Norway", "Sweden"], people: [{ name: "Ada", age: 36 }, { name: "Bea", age: 28 }, { name: "Cyd", age: 41 }],
      ...data }),
    methods: { set(value) { window.state = value; }, put(value) { this.value = value; window.state = value; } },
  });
  prepare(app);
  app.mount("#root");
}

export const day = (date) => new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 10);

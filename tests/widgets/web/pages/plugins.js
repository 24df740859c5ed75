import "choices.js/public/assets/styles/choices.css";
import "flatpickr/dist/flatpickr.css";
import "nouislider/dist/nouislider.css";
import "quill/dist/quill.snow.css";
import "tom-select/dist/css/tom-select.css";
import Choices from "choices.js";
import flatpickr from "flatpickr";
import noUiSlider from "nouislider";
import Quill from "quill";
import Sortable from "sortablejs";
import TomSelect from "tom-select";
import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";
import { TabulatorFull } from "tabulator-tables";
import "tabulator-tables/dist/css/tabulator.css";
import { COLOURS, COUNTRIES, DESTINATIONS, keeps, mount } from "./elements.js";

const field = (label, inner) => `<label for="f">${label}</label>${inner}`;
const options = (list) => `<option value=""></option>` + list.map((one) => `<option>${one}</option>`).join("");

mount({
  select: [field("Country", `<select id="f">${options(COUNTRIES)}</select>`), (set, $) => { new Choices($("#f")); keeps("#f", "change")(set, $); }],
  combobox: [field("Destination", `<select id="f">${options(DESTINATIONS)}</select>`), (set, $) => new TomSelect($("#f"), { onChange: set })],
  "multi-select": [field("Colours", `<select id="f" multiple>${options(COLOURS)}</select>`), (set, $) => new TomSelect($("#f"), { onChange: set })],
  "tag field": [field("Tags", `<input id="f">`), (set, $) => new TomSelect($("#f"), { create: true, onChange: (value) => set(value.split(",")) })],
  slider: [`<label>Volume</label><div id="f" style="width:300px;margin:20px"></div>`, (set, $) => noUiSlider.create($("#f"), { start: 30, step: 1, range: { min: 0, max: 100 } }).on("update", (v) => set(Math.round(v[0])))],
  date: [field("Birthday", `<input id="f">`), (set, $) => flatpickr($("#f"), { onChange: (days, text) => set(text) })],
  time: [field("Alarm", `<input id="f">`), (set, $) => flatpickr($("#f"), { enableTime: true, noCalendar: true, time_24hr: true, dateFormat: "H:i", allowInput: true, onChange: (days, text) => set(text) })],
  "rich text": [`<label>Body</label><div id="f" style="height:120px"></div>`, (set, $) => { const quill = new Quill($("#f"), { theme: "snow" }); quill.on("text-change", () => set(quill.getText().trim())); }],
  "drag list": [`<ul id="f">${["Apple", "Banana", "Cherry"].map((one) => `<li style="padding:8px">${one}</li>`).join("")}</ul>`, (set, $) => Sortable.create($("#f"), { onEnd: (e) => set(e.newIndex > 0) })],
  sort: [`<div id="f"></div>`, (set, $) => { const table = new TabulatorFull($("#f"), { data: [{ name: "Ada", age: 36 }, { name: "Bea", age: 28 }], columns: [{ title: "Name", field: "name" }, { title: "Age", field: "age" }] }); table.on("dataSorted", (s) => s.length && set(s[0].field === "age" && "Age")); }],
  "second editor": [`<label>Body</label><div id="f"></div>`, (set, $) => new Editor({ element: $("#f"), extensions: [StarterKit], onUpdate: ({ editor }) => set(editor.getText()) })],
});

import "bootstrap/dist/css/bootstrap.css";
import * as bootstrap from "bootstrap";
import { COLOURS, COUNTRIES, DESTINATIONS, clicked, keeps, mount } from "./elements.js";

const field = (label, inner) => `<label for="f" class="form-label">${label}</label>${inner}`;
const options = (list) => list.map((one) => `<option>${one}</option>`).join("");

mount({
  "text field": [field("Name", `<input id="f" class="form-control">`), keeps("#f", "input")],
  "text area": [field("Notes", `<textarea id="f" class="form-control"></textarea>`), keeps("#f", "input")],
  number: [field("Amount", `<input id="f" type="number" class="form-control">`), keeps("#f", "change", (el) => Number(el.value))],
  "check box": [`<div class="form-check"><input class="form-check-input" type="checkbox" id="f"><label class="form-check-label" for="f">I agree</label></div>`, keeps("#f", "change", (el) => el.checked)],
  switch: [`<div class="form-check form-switch"><input class="form-check-input" type="checkbox" role="switch" id="f"><label for="f">Wi-Fi</label></div>`, keeps("#f", "change", (el) => el.checked)],
  "radio group": [`<fieldset><legend>Payment</legend>${["Cash", "Card"].map((one) => `<div class="form-check"><input class="form-check-input" type="radio" name="p" id="${one}" value="${one}"><label for="${one}">${one}</label></div>`).join("")}</fieldset>`, keeps("fieldset", "change", (el, e) => e.target.value)],
  select: [field("Country", `<select id="f" class="form-select">${options(COUNTRIES)}</select>`), keeps("#f", "change")],
  combobox: [field("Destination", `<input id="f" list="d" class="form-control"><datalist id="d">${options(DESTINATIONS)}</datalist>`), keeps("#f", "input")],
  "multi-select": [field("Colours", `<select id="f" multiple class="form-select">${options(COLOURS)}</select>`), keeps("#f", "change", (el) => ["Red", "Blue"].filter((one) => [...el.selectedOptions].some((o) => o.value === one)))],
  slider: [field("Volume", `<input id="f" type="range" class="form-range" value="30">`), keeps("#f", "input", (el) => Number(el.value))],
  date: [field("Birthday", `<input id="f" type="date" class="form-control">`), keeps("#f", "input")],
  time: [field("Alarm", `<input id="f" type="time" class="form-control">`), keeps("#f", "input")],
  colour: [field("Colour", `<input id="f" type="color" class="form-control form-control-color">`), keeps("#f", "input")],
  tabs: [`<ul class="nav nav-tabs" role="tablist">${["General", "Details"].map((one) => `<li class="nav-item"><button class="nav-link" data-bs-toggle="tab" data-bs-target="#${one}" role="tab">${one}</button></li>`).join("")}</ul><div class="tab-content"><div class="tab-pane" id="General">G</div><div class="tab-pane" id="Details">D</div></div>`, keeps("ul", "shown.bs.tab", (el, e) => e.target.textContent)],
  accordion: [`<div class="accordion">${["Shipping", "More options"].map((one, i) => `<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#c${i}">${one}</button></h2><div id="c${i}" class="accordion-collapse collapse">Text</div></div>`).join("")}</div>`, keeps("#c1", "shown.bs.collapse", () => "More options")],
  dialog: [`<button class="btn" data-bs-toggle="modal" data-bs-target="#m">Delete</button><div class="modal fade" id="m" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><div class="modal-header"><h5>Delete this item?</h5></div><div class="modal-footer"><button class="btn" data-bs-dismiss="modal">Cancel</button><button class="btn" id="ok">Confirm</button></div></div></div></div>`, (set) => clicked(set, "#ok")],
  table: [`<table class="table"><thead><tr><th>Name</th><th>Age</th><th></th></tr></thead><tbody>${["Ada", "Bea", "Cyd"].map((one) => `<tr><td>${one}</td><td>3</td><td><button class="btn" value="${one}">Edit</button></td></tr>`).join("")}</tbody></table>`, keeps("table", "click", (el, e) => e.target.value)],
  pages: [`<nav><ul class="pagination">${[1, 2, 3].map((n) => `<li class="page-item"><a class="page-link" href="#">${n}</a></li>`).join("")}</ul></nav>`, keeps("nav", "click", (el, e) => Number(e.target.textContent))],
  upload: [field("Receipt", `<input id="f" type="file" class="form-control">`), keeps("#f", "change", (el) => el.files[0].name)],
  toast: [`<button class="btn">Save</button><div class="toast-container position-fixed bottom-0 end-0"><div class="toast" role="alert"><div class="toast-body">Profile saved</div></div></div>`, (set, $) => { $(".btn").onclick = () => { set(true); bootstrap.Toast.getOrCreateInstance($(".toast")).show(); }; }],
  tooltip: [`<button class="btn" title="More information">Help</button>`, (set, $) => { new bootstrap.Tooltip($(".btn")); $(".btn").addEventListener("shown.bs.tooltip", () => set(true)); }],
  carousel: [`<div class="carousel slide" id="c" style="height:200px;background:#999"><div class="carousel-inner">${["One", "Two"].map((one, i) => `<div class="carousel-item ${i ? "" : "active"}">${one}</div>`).join("")}</div><button class="carousel-control-next" data-bs-target="#c" data-bs-slide="next"><span class="carousel-control-next-icon"></span><span class="visually-hidden">Next</span></button></div>`, keeps("#c", "slide.bs.carousel", (el, e) => e.to)],
});

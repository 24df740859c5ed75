import "@shoelace-style/shoelace/dist/themes/light.css";
import "@shoelace-style/shoelace/dist/shoelace.js";
import { COLOURS, COUNTRIES, clicked, each, keeps, mount } from "./elements.js";

mount({
  "text field": [`<sl-input label="Name"></sl-input>`, keeps("sl-input", "sl-input")],
  "text area": [`<sl-textarea label="Notes"></sl-textarea>`, keeps("sl-textarea", "sl-input")],
  number: [`<sl-input type="number" label="Amount"></sl-input>`, keeps("sl-input", "sl-input", (el) => Number(el.value))],
  "check box": [`<sl-checkbox>I agree</sl-checkbox>`, keeps("sl-checkbox", "sl-change", (el) => el.checked)],
  switch: [`<sl-switch>Wi-Fi</sl-switch>`, keeps("sl-switch", "sl-change", (el) => el.checked)],
  "radio group": [`<sl-radio-group label="Payment" name="p" value="Cash">${each(["Cash", "Card", "Invoice"], "sl-radio")}</sl-radio-group>`, keeps("sl-radio-group", "sl-change")],
  select: [`<sl-select label="Country">${each(COUNTRIES, "sl-option")}</sl-select>`, keeps("sl-select", "sl-change")],
  "multi-select": [`<sl-select label="Colours" multiple>${each(COLOURS, "sl-option")}</sl-select>`, keeps("sl-select", "sl-change")],
  slider: [`<sl-range label="Volume" value="30"></sl-range>`, keeps("sl-range", "sl-input")],
  rating: [`<label>Rating</label><div><sl-rating label="Rating" value="2"></sl-rating></div>`, keeps("sl-rating", "sl-change")],
  date: [`<sl-input type="date" label="Birthday"></sl-input>`, keeps("sl-input", "sl-input")],
  time: [`<sl-input type="time" label="Alarm"></sl-input>`, keeps("sl-input", "sl-input")],
  colour: [`<label id="c">Colour</label><div><sl-color-picker label="Colour" value="#1677ff"></sl-color-picker></div>`, keeps("sl-color-picker", "sl-change", (el) => el.getFormattedValue("hex"))],
  tabs: [`<sl-tab-group><sl-tab slot="nav" panel="General">General</sl-tab><sl-tab slot="nav" panel="Details">Details</sl-tab><sl-tab-panel name="General">G</sl-tab-panel><sl-tab-panel name="Details">D</sl-tab-panel></sl-tab-group>`,
    keeps("sl-tab-group", "sl-tab-show", (el, e) => e.detail.name)],
  accordion: [`<sl-details summary="Shipping">By post</sl-details><sl-details id="more" summary="More options">Gift wrap</sl-details>`, keeps("#more", "sl-show", () => "More options")],
  tree: [`<sl-tree><sl-tree-item>Documents<sl-tree-item>Invoices</sl-tree-item><sl-tree-item>Letters</sl-tree-item></sl-tree-item><sl-tree-item>Pictures<sl-tree-item>Holiday</sl-tree-item></sl-tree-item></sl-tree>`,
    keeps("sl-tree", "sl-selection-change", (el, e) => e.detail.selection[0]?.textContent)],
  menu: [`<sl-dropdown><sl-button slot="trigger" caret>File</sl-button><sl-menu><sl-menu-item value="New">New</sl-menu-item><sl-menu-item>Export<sl-menu slot="submenu"><sl-menu-item value="PDF">PDF</sl-menu-item><sl-menu-item value="CSV">CSV</sl-menu-item></sl-menu></sl-menu-item></sl-menu></sl-dropdown>`,
    keeps("sl-dropdown", "sl-select", (el, e) => e.detail.item.value)],
  dialog: [`<sl-button id="del">Delete</sl-button><sl-dialog label="Delete this item?"><sl-button slot="footer">Cancel</sl-button><sl-button slot="footer" id="ok">Confirm</sl-button></sl-dialog>`, (set, $) => {
    $("#del").onclick = () => $("sl-dialog").show();
    clicked(set, "#ok");
  }],
  toast: [`<sl-button>Save</sl-button><sl-alert closable>Profile saved</sl-alert>`, (set, $) => { $("sl-button").onclick = () => { set(true); $("sl-alert").toast(); }; }],
  tooltip: [`<br><br><br><sl-tooltip content="More information"><sl-button>Help</sl-button></sl-tooltip>`, keeps("sl-tooltip", "sl-show", () => true)],
  splitter: [`<sl-split-panel style="width: 800px; height: 200px"><div slot="start">Left</div><div slot="end">Right</div></sl-split-panel>`, keeps("sl-split-panel", "sl-reposition", (el) => el.position > 55)],
  carousel: [`<sl-carousel navigation style="width: 400px">${each(["1", "2", "3"], "sl-carousel-item")}</sl-carousel>`, keeps("sl-carousel", "sl-slide-change", (el, e) => e.detail.index)],
}, { carousel: 'click "Next slide"' });

import naive from "naive-ui";
import { day, mount } from "./vue.js";

const options = (list) => list.map((one) => ({ label: one, value: one }));
const two = (n) => String(n).padStart(2, "0");
const clock = (ms) => { const d = new Date(ms); return `${two(d.getHours())}:${two(d.getMinutes())}`; };
const data = { countriesOf: options(["Austria", "Brazil", "Canada", "Denmark"]), coloursOf: options(["Red", "Green", "Blue"]), destinationsOf: options(["Finland", "Iceland", "Norway", "Sweden"]) };
const field = (label, inner, more = {}) => [`<n-form-item label="${label}">${inner}</n-form-item>`, { ...data, ...more }];

mount({
  "text field": field("Name", `<n-input v-model:value="value" @update:value="set"/>`),
  "text area": field("Notes", `<n-input type="textarea" v-model:value="value" @update:value="set"/>`),
  number: field("Amount", `<n-input-number v-model:value="value" @update:value="set"/>`),
  "check box": `<n-checkbox @update:checked="set">I agree</n-checkbox>`,
  switch: field("Wi-Fi", `<n-switch @update:value="set"/>`),
  "radio group": field("Payment", `<n-radio-group v-model:value="value" name="pay" @update:value="set"><n-radio value="Cash">Cash</n-radio><n-radio value="Card">Card</n-radio></n-radio-group>`),
  select: field("Country", `<n-select :options="countriesOf" v-model:value="value" @update:value="set"/>`),
  combobox: field("Destination", `<n-select filterable :options="destinationsOf" v-model:value="value" @update:value="set"/>`),
  "multi-select": field("Colours", `<n-select multiple :options="coloursOf" v-model:value="value" @update:value="set"/>`, { value: [] }),
  slider: field("Volume", `<n-slider v-model:value="value" @update:value="set"/>`, { value: 30 }),
  date: field("Birthday", `<n-date-picker type="date" v-model:value="value" @update:value="set(day(new Date($event)))"/>`),
  time: field("Alarm", `<n-time-picker format="HH:mm" v-model:value="value" @update:value="set(clock($event))"/>`),
  tabs: `<n-tabs @update:value="set"><n-tab-pane name="General" tab="General">G</n-tab-pane><n-tab-pane name="Details" tab="Details">D</n-tab-pane></n-tabs>`,
  accordion: `<n-collapse accordion @update:expanded-names="set($event[0])"><n-collapse-item title="Shipping" name="Shipping">By post</n-collapse-item><n-collapse-item title="More options" name="More options">Gift</n-collapse-item></n-collapse>`,
  tree: [`<n-tree block-line :data="items" @update:selected-keys="set($event[0])"/>`, { items: [{ label: "Documents", key: "Documents", children: [{ label: "Invoices", key: "Invoices" }] }, { label: "Pictures", key: "Pictures" }] }],
  menu: [`<n-dropdown trigger="click" :options="items" @select="set"><n-button>File</n-button></n-dropdown>`, { items: [{ label: "New", key: "New" }, { label: "Export", key: "Export", children: [{ label: "PDF", key: "PDF" }, { label: "CSV", key: "CSV" }] }] }],
  dialog: `<n-button @click="open = true">Delete</n-button><n-modal v-model:show="open" preset="dialog" title="Delete this item?" positive-text="Confirm" negative-text="Cancel" @positive-click="set(true)"/>`,
  pages: `<n-pagination :page-count="6" @update:page="set"/>`,
  upload: `<n-upload :default-upload="false" @change="set($event.file.name)"><n-button>Receipt</n-button></n-upload>`,
  tooltip: `<n-tooltip @update:show="set"><template #trigger><n-button>Help</n-button></template>More information</n-tooltip>`,
  cascader: [...field("Place", `<n-cascader :options="items" v-model:value="value" @update:value="(v, o, path) => set(path.map((one) => one.value))"/>`, {
    items: [{ label: "Norway", value: "Norway", children: options(["Bergen", "Oslo"]) }, { label: "Sweden", value: "Sweden", children: options(["Malmö"]) }],
  })],
}, (app) => { app.use(naive); Object.assign(app.config.globalProperties, { day, clock }); }, `<n-form>%</n-form>`);

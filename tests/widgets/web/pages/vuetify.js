import "vuetify/styles";
import { createVuetify } from "vuetify";
import * as components from "vuetify/components";
import * as directives from "vuetify/directives";
import { day, mount } from "./vue.js";

window.day = day;
mount({
  "text field": `<v-text-field label="Name" @update:model-value="set"/>`,
  "text area": `<v-textarea label="Notes" @update:model-value="set"/>`,
  number: `<v-number-input label="Amount" @update:model-value="set"/>`,
  "check box": `<v-checkbox label="I agree" @update:model-value="set"/>`,
  switch: `<v-switch label="Wi-Fi" @update:model-value="set"/>`,
  "radio group": `<v-radio-group label="Payment" @update:model-value="set"><v-radio label="Cash" value="Cash"/><v-radio label="Card" value="Card"/></v-radio-group>`,
  select: `<v-select label="Country" :items="countries" @update:model-value="set"/>`,
  combobox: `<v-autocomplete label="Destination" :items="destinations" @update:model-value="set"/>`,
  "multi-select": [`<v-select label="Colours" multiple chips :items="colours" @update:model-value="set"/>`],
  "tag field": `<v-combobox label="Tags" multiple chips @update:model-value="set"/>`,
  slider: [`<v-slider label="Volume" v-model="value" :step="1" @update:model-value="set"/>`, { value: 30 }],
  rating: [`<div><label>Rating</label><v-rating v-model="value" @update:model-value="set"/></div>`, { value: 2 }],
  date: `<v-date-input label="Birthday" @update:model-value="set(day($event))"/>`,
  tabs: [`<v-tabs v-model="tab" @update:model-value="set"><v-tab value="General">General</v-tab><v-tab value="Details">Details</v-tab></v-tabs>`, { tab: "General" }],
  accordion: `<v-expansion-panels @update:model-value="set"><v-expansion-panel value="Shipping" title="Shipping" text="By post"/><v-expansion-panel value="More options" title="More options" text="Gift wrap"/></v-expansion-panels>`,
  tree: [`<v-treeview :items="items" item-value="title" activatable @update:activated="set($event[0])"/>`, {
    items: [{ title: "Documents", children: [{ title: "Invoices" }, { title: "Letters" }] }, { title: "Pictures", children: [{ title: "Holiday" }] }],
  }],
  menu: `<v-menu><template #activator="{ props }"><v-btn v-bind="props">File</v-btn></template><v-list>
    <v-list-item title="New" @click="set('New')"/>
    <v-list-item title="Export"><v-menu activator="parent" submenu><v-list><v-list-item title="PDF" @click="set('PDF')"/><v-list-item title="CSV" @click="set('CSV')"/></v-list></v-menu></v-list-item>
    </v-list></v-menu>`,
  dialog: `<v-btn @click="open = true">Delete</v-btn><v-dialog v-model="open" width="400"><v-card title="Delete this item?"><template #actions>
    <v-btn @click="open = false">Cancel</v-btn><v-btn @click="set(true); open = false">Confirm</v-btn></template></v-card></v-dialog>`,
  table: [`<v-data-table :headers="headers" :items="people"><template #item.do="{ item }"><v-btn @click="set(item.name)">Edit</v-btn></template></v-data-table>`, {
    headers: [{ title: "Name", key: "name" }, { title: "Age", key: "age" }, { title: "Action", key: "do" }],
  }],
  sort: [`<v-data-table :headers="headers" :items="people" @update:sort-by="set($event[0].key === 'age' && 'Age')"/>`, {
    headers: [{ title: "Name", key: "name" }, { title: "Age", key: "age" }],
  }],
  pages: `<v-pagination :length="6" @update:model-value="set"/>`,
  upload: `<v-file-input label="Receipt" @update:model-value="set($event.name)"/>`,
  toast: `<v-btn @click="open = true; set(true)">Save</v-btn><v-snackbar v-model="open">Profile saved</v-snackbar>`,
  tooltip: `<v-btn @mouseenter="set(true)">Help<v-tooltip activator="parent">More information</v-tooltip></v-btn>`,
  carousel: `<v-carousel height="200" @update:model-value="set"><v-carousel-item v-for="n in 3" :key="n"><h3>Slide {{ n }}</h3></v-carousel-item></v-carousel>`,
}, (app) => { app.config.globalProperties.day = day; app.use(createVuetify({ components, directives })); }, "<v-app><div>%</div></v-app>");

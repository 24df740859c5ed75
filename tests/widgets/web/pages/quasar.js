import "quasar/dist/quasar.css";
import { Notify, Quasar } from "quasar";
import * as all from "quasar";
import { mount } from "./vue.js";

mount({
  "text field": `<q-input label="Name" v-model="value" @update:model-value="set"/>`,
  "text area": `<q-input type="textarea" label="Notes" v-model="value" @update:model-value="set"/>`,
  number: `<q-input type="number" label="Amount" v-model.number="value" @update:model-value="set"/>`,
  "check box": [`<q-checkbox label="I agree" v-model="value" @update:model-value="set"/>`, { value: false }],
  switch: [`<q-toggle label="Wi-Fi" v-model="value" @update:model-value="set"/>`, { value: false }],
  "radio group": [`<fieldset><legend>Payment</legend><q-radio v-for="one in ['Cash', 'Card']" :key="one" :val="one" :label="one" v-model="value" @update:model-value="set"/></fieldset>`, { value: "Cash" }],
  select: `<q-select label="Country" :options="countries" v-model="value" @update:model-value="set"/>`,
  combobox: `<q-select use-input label="Destination" :options="destinations" v-model="value" @update:model-value="set"/>`,
  "multi-select": [`<q-select multiple label="Colours" :options="colours" v-model="value" @update:model-value="set"/>`, { value: [] }],
  "tag field": [`<q-select label="Tags" use-input multiple use-chips hide-dropdown-icon new-value-mode="add" v-model="value" @update:model-value="set"/>`, { value: [] }],
  slider: [`<label>Volume</label><q-slider v-model="value" :min="0" :max="100" @update:model-value="set"/>`, { value: 30 }],
  rating: [`<label>Rating</label><div><q-rating v-model="value" @update:model-value="set"/></div>`, { value: 2 }],
  date: `<q-input label="Birthday" type="date" stack-label v-model="value" @update:model-value="set"/>`,
  time: `<q-input label="Alarm" type="time" stack-label v-model="value" @update:model-value="set"/>`,
  tabs: [`<q-tabs v-model="value" @update:model-value="set"><q-tab name="General" label="General"/><q-tab name="Details" label="Details"/></q-tabs>`, { value: "General" }],
  accordion: `<q-list><q-expansion-item label="Shipping"><p>By post</p></q-expansion-item><q-expansion-item label="More options" @show="set('More options')"><p>Gift</p></q-expansion-item></q-list>`,
  tree: [`<q-tree :nodes="items" node-key="label" v-model:selected="value" @update:selected="set"/>`, { items: [{ label: "Documents", children: [{ label: "Invoices" }] }, { label: "Pictures" }] }],
  menu: `<q-btn label="File" no-caps><q-menu><q-list><q-item clickable v-close-popup @click="set('New')"><q-item-section>New</q-item-section></q-item>
    <q-item clickable><q-item-section>Export</q-item-section><q-menu anchor="top end" self="top start"><q-list><q-item clickable v-close-popup @click="set('PDF')"><q-item-section>PDF</q-item-section></q-item></q-list></q-menu></q-item></q-list></q-menu></q-btn>`,
  dialog: `<q-btn no-caps label="Delete" @click="open = true"/><q-dialog v-model="open"><q-card><p>Delete this item?</p><q-btn no-caps label="Cancel" v-close-popup/><q-btn no-caps label="Confirm" v-close-popup @click="set(true)"/></q-card></q-dialog>`,
  table: [`<q-table :rows="people" row-key="name" :columns="columns"><template #body-cell-do="props"><q-td :props="props"><q-btn no-caps label="Edit" @click="set(props.row.name)"/></q-td></template></q-table>`, {
    columns: [{ name: "name", label: "Name", field: "name" }, { name: "age", label: "Age", field: "age" }, { name: "do", label: "Action" }],
  }],
  sort: [`<q-table :rows="people" row-key="name" :columns="columns" v-model:pagination="paging" @update:pagination="set($event.sortBy === 'age' && 'Age')"/>`, {
    paging: { rowsPerPage: 10 }, columns: [{ name: "name", label: "Name", field: "name" }, { name: "age", label: "Age", field: "age", sortable: true }],
  }],
  pages: [`<q-pagination v-model="value" :max="5" @update:model-value="set"/>`, { value: 1 }],
  upload: `<q-file label="Receipt" v-model="value" @update:model-value="set($event.name)"/>`,
  toast: `<q-btn no-caps label="Save" @click="$q.notify('Profile saved'); set(true)"/>`,
  tooltip: `<q-btn no-caps label="Help"><q-tooltip @show="set(true)">More information</q-tooltip></q-btn>`,
  splitter: [`<q-splitter v-model="value" style="height: 200px" @update:model-value="set($event > 55)"><template #before>Left</template><template #after>Right</template></q-splitter>`, { value: 50 }],
}, (app) => app.use(Quasar, { plugins: { Notify }, components: Object.fromEntries(Object.entries(all).filter(([name]) => /^Q[A-Z]/.test(name))), directives: { ClosePopup: all.ClosePopup } }));

import "element-plus/dist/index.css";
import ElementPlus from "element-plus";
import { mount } from "./vue.js";

mount({
  "text field": `<el-form-item label="Name"><el-input v-model="value" @input="set"/></el-form-item>`,
  "text area": `<el-form-item label="Notes"><el-input type="textarea" v-model="value" @input="set"/></el-form-item>`,
  number: `<el-form-item label="Amount"><el-input-number v-model="value" @change="set"/></el-form-item>`,
  "check box": `<el-checkbox v-model="value" label="I agree" @change="set"/>`,
  switch: `<el-form-item label="Wi-Fi"><el-switch v-model="value" @change="set"/></el-form-item>`,
  "radio group": `<el-form-item label="Payment"><el-radio-group v-model="value" @change="set"><el-radio value="Cash">Cash</el-radio><el-radio value="Card">Card</el-radio></el-radio-group></el-form-item>`,
  select: `<el-form-item label="Country"><el-select v-model="value" style="width: 240px" @change="set"><el-option v-for="one in countries" :key="one" :value="one" :label="one"/></el-select></el-form-item>`,
  combobox: `<el-form-item label="Destination"><el-select filterable v-model="value" style="width: 240px" @change="set"><el-option v-for="one in destinations" :key="one" :value="one" :label="one"/></el-select></el-form-item>`,
  "multi-select": [`<el-form-item label="Colours"><el-select multiple v-model="value" style="width: 240px" @change="set"><el-option v-for="one in colours" :key="one" :value="one" :label="one"/></el-select></el-form-item>`, { value: [] }],
  "tag field": [`<el-form-item label="Tags"><el-input-tag v-model="value" @change="set"/></el-form-item>`, { value: [] }],
  slider: [`<el-form-item label="Volume"><el-slider v-model="value" @change="set" style="width: 300px"/></el-form-item>`, { value: 30 }],
  rating: [`<el-form-item label="Rating"><el-rate v-model="value" @change="set"/></el-form-item>`, { value: 2 }],
  date: `<el-form-item label="Birthday"><el-date-picker v-model="value" value-format="YYYY-MM-DD" @change="set"/></el-form-item>`,
  time: `<el-form-item label="Alarm"><el-time-picker v-model="value" format="HH:mm" value-format="HH:mm" @change="set"/></el-form-item>`,
  range: `<el-form-item label="Stay"><el-date-picker type="daterange" start-placeholder="Start date" end-placeholder="End date" v-model="value" value-format="YYYY-MM-DD" @change="set"/></el-form-item>`,
  colour: [`<el-form-item label="Colour"><el-color-picker v-model="value" @change="set($event.toLowerCase())"/></el-form-item>`, { value: "#1677ff" }],
  tabs: [`<el-tabs v-model="value" @tab-change="set"><el-tab-pane label="General" name="General"/><el-tab-pane label="Details" name="Details"/></el-tabs>`, { value: "General" }],
  accordion: `<el-collapse accordion @change="set"><el-collapse-item title="Shipping" name="Shipping">By post</el-collapse-item><el-collapse-item title="More options" name="More options">Gift wrap</el-collapse-item></el-collapse>`,
  tree: [`<el-tree :data="items" @node-click="set($event.label)"/>`, {
    items: [{ label: "Documents", children: [{ label: "Invoices" }, { label: "Letters" }] }, { label: "Pictures", children: [{ label: "Holiday" }] }],
  }],
  menu: `<el-menu mode="horizontal" @select="set"><el-sub-menu index="File"><template #title>File</template><el-menu-item index="New">New</el-menu-item>
    <el-sub-menu index="Export"><template #title>Export</template><el-menu-item index="PDF">PDF</el-menu-item><el-menu-item index="CSV">CSV</el-menu-item></el-sub-menu></el-sub-menu></el-menu>`,
  dialog: `<el-button @click="open = true">Delete</el-button><el-dialog v-model="open" title="Delete this item?"><template #footer><el-button @click="open = false">Cancel</el-button>
    <el-button @click="set(true); open = false">Confirm</el-button></template></el-dialog>`,
  table: `<el-table :data="people"><el-table-column prop="name" label="Name"/><el-table-column prop="age" label="Age"/><el-table-column label="Action"><template #default="{ row }"><el-button @click="set(row.name)">Edit</el-button></template></el-table-column></el-table>`,
  sort: `<el-table :data="people" @sort-change="set($event.prop === 'age' && 'Age')"><el-table-column prop="name" label="Name"/><el-table-column prop="age" label="Age" sortable/></el-table>`,
  pages: `<el-pagination layout="prev, pager, next" :total="50" @current-change="set"/>`,
  upload: `<el-upload :auto-upload="false" @change="set($event.name)"><el-button>Receipt</el-button></el-upload>`,
  toast: `<el-button @click="$message('Profile saved'); set(true)">Save</el-button>`,
  tooltip: `<el-tooltip content="More information" @show="set(true)"><el-button>Help</el-button></el-tooltip>`,
  cascader: [`<el-form-item label="Place"><el-cascader :options="items" @change="set"/></el-form-item>`, {
    items: [{ value: "Norway", label: "Norway", children: [{ value: "Bergen", label: "Bergen" }, { value: "Oslo", label: "Oslo" }] }, { value: "Sweden", label: "Sweden", children: [{ value: "Malmö", label: "Malmö" }] }],
  }],
  splitter: `<el-splitter style="height: 200px" @resize="(index, sizes) => set(sizes[0] > 650)"><el-splitter-panel>Left</el-splitter-panel><el-splitter-panel>Right</el-splitter-panel></el-splitter>`,
}, (app) => app.use(ElementPlus), `<el-form label-position="top" @submit.prevent>%</el-form>`);

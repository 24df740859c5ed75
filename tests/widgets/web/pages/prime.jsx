import "primereact/resources/themes/lara-light-blue/theme.css";
import "primeicons/primeicons.css";
import { useRef, useState } from "react";
import { PrimeReactProvider } from "primereact/api";
import { Accordion, AccordionTab } from "primereact/accordion";
import { AutoComplete } from "primereact/autocomplete";
import { Button } from "primereact/button";
import { Calendar } from "primereact/calendar";
import { Carousel } from "primereact/carousel";
import { CascadeSelect } from "primereact/cascadeselect";
import { Checkbox } from "primereact/checkbox";
import { Chips } from "primereact/chips";
import { Column } from "primereact/column";
import { DataTable } from "primereact/datatable";
import { Dialog } from "primereact/dialog";
import { Dropdown } from "primereact/dropdown";
import { FileUpload } from "primereact/fileupload";
import { InputNumber } from "primereact/inputnumber";
import { InputSwitch } from "primereact/inputswitch";
import { InputText } from "primereact/inputtext";
import { InputTextarea } from "primereact/inputtextarea";
import { Menubar } from "primereact/menubar";
import { MultiSelect } from "primereact/multiselect";
import { Paginator } from "primereact/paginator";
import { RadioButton } from "primereact/radiobutton";
import { Rating } from "primereact/rating";
import { Slider } from "primereact/slider";
import { Splitter, SplitterPanel } from "primereact/splitter";
import { TabPanel, TabView } from "primereact/tabview";
import { Toast } from "primereact/toast";
import { Tree } from "primereact/tree";
import { COLOURS, COUNTRIES, DESTINATIONS, PEOPLE, mount } from "./react.jsx";

const Kept = ({ of: Of, label, start = null, set, make = (v) => v, prop = "value", ...more }) => {
  const [value, put] = useState(start);
  const id = "f";
  const named = { inputId: id, ...(Of === Rating || Of === Slider || Of === InputText || Of === InputTextarea ? { id, inputId: undefined } : {}) };
  return <div style={{ width: 320 }}><label htmlFor={id} style={{ display: "block" }}>{label}</label><Of {...named} {...{ [prop]: value }} {...more} onChange={(e) => { const now = e.value !== undefined ? e.value : e.target.value; put(now); set(make(now)); }} /></div>;
};
const two = (n) => String(n).padStart(2, "0");
const iso = (d) => d && d.getFullYear && `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;

mount({
  "text field": ({ set }) => <Kept of={InputText} label="Name" start="" set={set} />,
  "text area": ({ set }) => <Kept of={InputTextarea} label="Notes" start="" set={set} />,
  number: ({ set }) => <Kept of={InputNumber} label="Amount" set={set} />,
  "check box": ({ set }) => { const [on, put] = useState(false); return <div><Checkbox inputId="a" checked={on} onChange={(e) => { put(e.checked); set(e.checked); }} /><label htmlFor="a">I agree</label></div>; },
  switch: ({ set }) => { const [on, put] = useState(false); return <div><InputSwitch inputId="w" checked={on} onChange={(e) => { put(e.value); set(e.value); }} /><label htmlFor="w">Wi-Fi</label></div>; },
  "radio group": ({ set }) => {
    const [value, put] = useState("Cash");
    return <fieldset><legend>Payment</legend>{["Cash", "Card", "Invoice"].map((one) => <div key={one}><RadioButton inputId={one} name="pay" value={one} checked={value === one} onChange={(e) => { put(e.value); set(e.value); }} /><label htmlFor={one}>{one}</label></div>)}</fieldset>;
  },
  select: ({ set }) => <Kept of={Dropdown} label="Country" options={COUNTRIES} set={set} />,
  combobox: ({ set }) => { const [found, put] = useState([]); return <Kept of={AutoComplete} label="Destination" start="" dropdown suggestions={found} completeMethod={(e) => put(DESTINATIONS.filter((one) => one.toLowerCase().includes(e.query.toLowerCase())))} set={set} />; },
  "multi-select": ({ set }) => <Kept of={MultiSelect} label="Colours" start={[]} options={COLOURS} set={set} />,
  "tag field": ({ set }) => <Kept of={Chips} label="Tags" start={[]} set={set} />,
  slider: ({ set }) => <Kept of={Slider} label="Volume" start={30} set={set} />,
  rating: ({ set }) => <Kept of={Rating} label="Rating" start={2} cancel={false} set={set} />,
  date: ({ set }) => <Kept of={Calendar} label="Birthday" set={set} make={iso} />,
  tabs: ({ set }) => <TabView onTabChange={(e) => set(["General", "Details"][e.index])}><TabPanel header="General">G</TabPanel><TabPanel header="Details">D</TabPanel></TabView>,
  accordion: ({ set }) => <Accordion onTabOpen={(e) => set(["Shipping", "More options"][e.index])}><AccordionTab header="Shipping">By post</AccordionTab><AccordionTab header="More options">Gift</AccordionTab></Accordion>,
  tree: ({ set }) => <Tree selectionMode="single" onSelectionChange={(e) => set(e.value)} value={[{ key: "Documents", label: "Documents", children: [{ key: "Invoices", label: "Invoices" }] }, { key: "Pictures", label: "Pictures", children: [{ key: "Holiday", label: "Holiday" }] }]} />,
  menu: ({ set }) => <Menubar model={[{ label: "File", items: [{ label: "New", command: () => set("New") }, { label: "Export", items: [{ label: "PDF", command: () => set("PDF") }, { label: "CSV", command: () => set("CSV") }] }] }]} />,
  dialog: ({ set }) => { const [open, put] = useState(false); return <div><Button label="Delete" onClick={() => put(true)} /><Dialog header="Delete this item?" visible={open} onHide={() => put(false)} footer={<><Button label="Cancel" onClick={() => put(false)} /><Button label="Confirm" onClick={() => { set(true); put(false); }} /></>} /></div>; },
  table: ({ set }) => <DataTable value={PEOPLE}><Column field="name" header="Name" /><Column field="age" header="Age" /><Column header="Action" body={(row) => <Button label="Edit" onClick={() => set(row.name)} />} /></DataTable>,
  sort: ({ set }) => <DataTable value={PEOPLE} onSort={(e) => set(e.sortField === "age" && "Age")}><Column field="name" header="Name" sortable /><Column field="age" header="Age" sortable /></DataTable>,
  pages: ({ set }) => { const [first, put] = useState(0); return <Paginator first={first} rows={10} totalRecords={60} onPageChange={(e) => { put(e.first); set(e.page + 1); }} />; },
  upload: ({ set }) => <FileUpload mode="basic" chooseLabel="Receipt" customUpload onSelect={(e) => set(e.files[0].name)} />,
  toast: ({ set }) => { const toast = useRef(null); return <div><Toast ref={toast} /><Button label="Save" onClick={() => { set(true); toast.current.show({ severity: "success", summary: "Profile saved" }); }} /></div>; },
  tooltip: ({ set }) => <Button label="Help" tooltip="More information" onMouseEnter={() => set(true)} />,
  cascader: ({ set }) => <Kept of={CascadeSelect} label="Place" optionLabel="name" optionGroupLabel="name" optionGroupChildren={["cities"]} options={[{ name: "Norway", cities: [{ name: "Bergen" }, { name: "Oslo" }] }, { name: "Sweden", cities: [{ name: "Malmö" }] }]} set={(v) => set(["Norway", v.name])} />,
  splitter: ({ set }) => <Splitter style={{ width: 800, height: 200 }} onResizeEnd={(e) => set(e.sizes[0] > 55)}><SplitterPanel>Left</SplitterPanel><SplitterPanel>Right</SplitterPanel></Splitter>,
  carousel: ({ set }) => <Carousel value={["One", "Two", "Three"]} itemTemplate={(one) => <h3>{one}</h3>} onPageChange={(e) => set(e.page)} />,
}, PrimeReactProvider, { carousel: 'click "Next Page"' });

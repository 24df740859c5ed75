import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import "@mantine/notifications/styles.css";
import { useState } from "react";
import {
  Accordion, Button, Checkbox, ColorInput, FileButton, FileInput, MantineProvider, Modal, MultiSelect, NumberInput, Pagination, Radio, Rating, Select, Slider, Switch, Table,
  Tabs, TagsInput, TextInput, Textarea, Tooltip, Tree, Input, Group,
} from "@mantine/core";
import { DateInput, DatePickerInput, TimeInput } from "@mantine/dates";
import { Notifications, notifications } from "@mantine/notifications";
import { COLOURS, COUNTRIES, DESTINATIONS, PEOPLE, mount } from "./react.jsx";

const text = (day) => day && new Date(day - new Date(day).getTimezoneOffset() * 60000).toISOString().slice(0, 10);

mount({
  "text field": ({ set }) => <TextInput label="Name" onChange={(e) => set(e.target.value)} />,
  "text area": ({ set }) => <Textarea label="Notes" onChange={(e) => set(e.target.value)} />,
  number: ({ set }) => <NumberInput label="Amount" onChange={set} />,
  "check box": ({ set }) => <Checkbox label="I agree" onChange={(e) => set(e.target.checked)} />,
  switch: ({ set }) => <Switch label="Wi-Fi" onChange={(e) => set(e.target.checked)} />,
  "radio group": ({ set }) => <Radio.Group label="Payment" onChange={set}>{["Cash", "Card", "Invoice"].map((one) => <Radio key={one} value={one} label={one} />)}</Radio.Group>,
  select: ({ set }) => <Select label="Country" data={COUNTRIES} onChange={set} />,
  combobox: ({ set }) => <Select searchable label="Destination" data={DESTINATIONS} onChange={set} />,
  "multi-select": ({ set }) => <MultiSelect label="Colours" data={COLOURS} onChange={set} />,
  "tag field": ({ set }) => <TagsInput label="Tags" onChange={set} />,
  slider: ({ set }) => <div style={{ width: 300 }}><Input.Label>Volume</Input.Label><Slider defaultValue={30} onChange={set} /></div>,
  rating: ({ set }) => <div><Input.Label>Rating</Input.Label><Rating defaultValue={2} onChange={set} /></div>,
  date: ({ set }) => <DateInput label="Birthday" onChange={(day) => set(text(day))} />,
  time: ({ set }) => <TimeInput label="Alarm" onChange={(e) => set(e.target.value)} />,
  range: ({ set }) => {
    const [both] = useState([null, null]);
    const at = (i) => (day) => { both[i] = text(day); set([...both]); };
    return <div><DatePickerInput label="Start date" onChange={at(0)} /><DatePickerInput label="End date" onChange={at(1)} /></div>;
  },
  colour: ({ set }) => <ColorInput label="Colour" defaultValue="#1677ff" onChange={set} />,
  tabs: ({ set }) => <Tabs defaultValue="General" onChange={set}><Tabs.List><Tabs.Tab value="General">General</Tabs.Tab><Tabs.Tab value="Details">Details</Tabs.Tab></Tabs.List></Tabs>,
  accordion: ({ set }) => <Accordion onChange={set}>{["Shipping", "More options"].map((one) => <Accordion.Item key={one} value={one}><Accordion.Control>{one}</Accordion.Control><Accordion.Panel>Text</Accordion.Panel></Accordion.Item>)}</Accordion>,
  tree: ({ set }) => <Tree data={[{ value: "Documents", label: "Documents", children: [{ value: "Invoices", label: "Invoices" }] }, { value: "Pictures", label: "Pictures" }]}
    renderNode={({ node, elementProps }) => <div {...elementProps} onClick={(e) => { set(node.value); elementProps.onClick(e); }}>{node.label}</div>} />,
  dialog: ({ set }) => {
    const [open, put] = useState(false);
    return <div><Button onClick={() => put(true)}>Delete</Button><Modal opened={open} onClose={() => put(false)} title="Delete this item?"><Group><Button onClick={() => put(false)}>Cancel</Button><Button onClick={() => { set(true); put(false); }}>Confirm</Button></Group></Modal></div>;
  },
  table: ({ set }) => <Table><Table.Tbody>{PEOPLE.map((one) => <Table.Tr key={one.id}><Table.Td>{one.name}</Table.Td><Table.Td>{one.age}</Table.Td><Table.Td><Button onClick={() => set(one.name)}>Edit</Button></Table.Td></Table.Tr>)}</Table.Tbody></Table>,
  pages: ({ set }) => <Pagination total={6} onChange={set} />,
  upload: ({ set }) => <FileInput label="Receipt" onChange={(file) => set(file.name)} />,
  toast: ({ set }) => <div><Notifications /><Button onClick={() => { set(true); notifications.show({ message: "Profile saved" }); }}>Save</Button></div>,
  tooltip: ({ set }) => <Tooltip label="More information"><Button onMouseEnter={() => set(true)}>Help</Button></Tooltip>,
}, MantineProvider);

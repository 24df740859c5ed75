import { useState } from "react";
import {
  App, AutoComplete, Button, Carousel, Cascader, Checkbox, Collapse, ColorPicker, DatePicker, Dropdown, Form, Input, InputNumber,
  Modal, Pagination, Radio, Rate, Select, Slider, Splitter, Switch, Table, Tabs, TimePicker, Tooltip, Transfer, Tree, Upload,
} from "antd";
import { COLOURS, COUNTRIES, DESTINATIONS, PEOPLE, mount } from "./react.jsx";

const items = (list) => list.map((one) => ({ value: one, label: one }));
const Field = ({ label, children, ...more }) => (
  <Form layout="vertical"><Form.Item label={label} name={label.toLowerCase().replace(" ", "")} {...more}>{children}</Form.Item></Form>
);
const Saved = ({ set }) => {
  const { message } = App.useApp();
  return <Button onClick={() => { set(true); message.success("Profile saved"); }}>Save</Button>;
};

mount({
  "text field": ({ set }) => <Field label="Name"><Input onChange={(e) => set(e.target.value)} /></Field>,
  "text area": ({ set }) => <Field label="Notes"><Input.TextArea rows={4} onChange={(e) => set(e.target.value)} /></Field>,
  number: ({ set }) => <Field label="Amount"><InputNumber onChange={set} /></Field>,
  "check box": ({ set }) => <Checkbox onChange={(e) => set(e.target.checked)}>I agree</Checkbox>,
  switch: ({ set }) => <Field label="Wi-Fi"><Switch onChange={set} /></Field>,
  "radio group": ({ set }) => <Field label="Payment"><Radio.Group onChange={(e) => set(e.target.value)} options={["Cash", "Card", "Invoice"]} /></Field>,
  select: ({ set }) => <Field label="Country"><Select style={{ width: 200 }} options={items(COUNTRIES)} onChange={set} /></Field>,
  combobox: ({ set }) => <Field label="Destination"><Select showSearch style={{ width: 200 }} options={items(DESTINATIONS)} onChange={set} /></Field>,
  "multi-select": ({ set }) => <Field label="Colours"><Select mode="multiple" style={{ width: 300 }} options={items(COLOURS)} onChange={set} /></Field>,
  "tag field": ({ set }) => <Field label="Tags"><Select mode="tags" style={{ width: 300 }} onChange={set} /></Field>,
  slider: ({ set }) => <Field label="Volume"><Slider defaultValue={30} style={{ width: 300 }} onChange={set} /></Field>,
  rating: ({ set }) => <Field label="Rating"><Rate onChange={set} /></Field>,
  date: ({ set }) => <Field label="Birthday"><DatePicker onChange={(day, text) => set(text)} /></Field>,
  time: ({ set }) => <Field label="Alarm"><TimePicker format="HH:mm" onChange={(time, text) => set(text)} /></Field>,
  range: ({ set }) => <Field label="Stay"><DatePicker.RangePicker onChange={(days, texts) => set(texts)} /></Field>,
  colour: ({ set }) => <Field label="Colour"><ColorPicker defaultValue="#1677ff" onChange={(colour) => set(colour.toHexString())} /></Field>,
  tabs: ({ set }) => <Tabs onChange={set} items={["General", "Details", "History"].map((one) => ({ key: one, label: one, children: `About ${one}` }))} />,
  accordion: ({ set }) => <Collapse onChange={(keys) => set(keys[0])} items={["Shipping", "More options"].map((one) => ({ key: one, label: one, children: <p>Text of {one}</p> }))} />,
  tree: ({ set }) => (
    <Tree onSelect={(keys) => set(keys[0])} treeData={[
      { title: "Documents", key: "Documents", children: [{ title: "Invoices", key: "Invoices" }, { title: "Letters", key: "Letters" }] },
      { title: "Pictures", key: "Pictures", children: [{ title: "Holiday", key: "Holiday" }] },
    ]} />
  ),
  menu: ({ set }) => (
    <Dropdown menu={{ onClick: ({ key }) => set(key), items: [
      { key: "New", label: "New" }, { key: "Export", label: "Export", children: [{ key: "PDF", label: "PDF" }, { key: "CSV", label: "CSV" }] },
    ] }}><a onClick={(e) => e.preventDefault()}>File</a></Dropdown>
  ),
  dialog: ({ set }) => {
    const [open, put] = useState(false);
    return (
      <div>
        <Button onClick={() => put(true)}>Delete</Button>
        <Modal title="Delete this item?" open={open} okText="Confirm" onOk={() => { set(true); put(false); }} onCancel={() => put(false)} />
      </div>
    );
  },
  table: ({ set }) => (
    <Table rowKey="id" dataSource={PEOPLE} columns={[
      { title: "Name", dataIndex: "name" }, { title: "Age", dataIndex: "age" }, { title: "Action", key: "do", render: (_, row) => <a onClick={() => set(row.name)}>Edit</a> },
    ]} />
  ),
  sort: ({ set }) => (
    <Table rowKey="id" dataSource={PEOPLE} onChange={(p, f, sorter) => set(sorter.field === "age" ? "Age" : sorter.field)} columns={[
      { title: "Name", dataIndex: "name" }, { title: "Age", dataIndex: "age", sorter: (a, b) => a.age - b.age },
    ]} />
  ),
  pages: ({ set }) => <Pagination defaultCurrent={1} total={50} onChange={set} />,
  upload: ({ set }) => <Upload beforeUpload={(file) => { set(file.name); return false; }}><Button>Receipt</Button></Upload>,
  toast: Saved,
  tooltip: ({ set }) => <Tooltip title="More information" onOpenChange={(open) => open && set(true)}><span>Help</span></Tooltip>,
  cascader: ({ set }) => (
    <Field label="Place"><Cascader onChange={set} options={[
      { value: "Norway", label: "Norway", children: items(["Bergen", "Oslo"]) }, { value: "Sweden", label: "Sweden", children: items(["Malmö"]) },
    ]} /></Field>
  ),
  splitter: ({ set }) => (
    <Splitter style={{ height: 200 }} onResize={(sizes) => set(sizes[0] > 450)}><Splitter.Panel defaultSize={400}>Left</Splitter.Panel><Splitter.Panel>Right</Splitter.Panel></Splitter>
  ),
  carousel: ({ set }) => (
    <div style={{ width: 400, padding: 30, background: "#888" }}><Carousel arrows afterChange={set}>{[1, 2, 3].map((n) => <div key={n}><h3>Slide {n}</h3></div>)}</Carousel></div>
  ),
  transfer: ({ set }) => {
    const [keys, put] = useState([]);
    return <Transfer dataSource={["Apple", "Pear", "Plum"].map((key) => ({ key, title: key }))} targetKeys={keys} render={(one) => one.title} onChange={(now) => { put(now); set(now); }} />;
  },
}, App);

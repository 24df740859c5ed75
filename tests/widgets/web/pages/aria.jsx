import {
  Button, Calendar, CalendarCell, CalendarGrid, Checkbox, ColorField, ComboBox, DateField, DateInput, DatePicker, DateSegment, Dialog, DialogTrigger, Disclosure,
  DisclosurePanel, DropZone, FileTrigger, GridList, GridListItem, Group, Heading, Input, Label, ListBox, ListBoxItem, Menu, MenuItem, MenuTrigger, Modal, NumberField, Popover,
  Cell, Column, Radio, RadioGroup, Row, Select, SelectValue, Slider, SliderOutput, SliderThumb, SliderTrack, SubmenuTrigger, Switch, Tab, TabList, TabPanel, Table, TableBody,
  TableHeader, Tabs, TextArea, TextField, TimeField, Tooltip, TooltipTrigger, Tree, TreeItem, TreeItemContent,
} from "react-aria-components";
import { COUNTRIES, DESTINATIONS, PEOPLE, mount } from "./react.jsx";

const two = (n) => String(n).padStart(2, "0");
const style = document.createElement("style");
style.textContent = `.react-aria-SliderTrack{position:relative;height:30px;width:300px;background:#ddd}.react-aria-SliderThumb{width:20px;height:20px;background:#46f;border-radius:50%;top:50%}
  .react-aria-Popover{background:#fff;border:1px solid #888}.react-aria-Checkbox .box,.react-aria-Switch .box,.react-aria-Radio::before{content:"";display:inline-block;width:16px;height:16px;border:1px solid #555}
  .react-aria-TreeItem{padding:2px}.react-aria-ModalOverlay{position:fixed;inset:0;background:#0006}.react-aria-Modal{background:#fff;width:300px;margin:80px auto;padding:20px}`;
document.head.append(style);

mount({
  "text field": ({ set }) => <TextField onChange={set}><Label>Name</Label><Input /></TextField>,
  "text area": ({ set }) => <TextField onChange={set}><Label>Notes</Label><TextArea /></TextField>,
  number: ({ set }) => <NumberField onChange={set}><Label>Amount</Label><Group><Button slot="decrement">-</Button><Input /><Button slot="increment">+</Button></Group></NumberField>,
  "check box": ({ set }) => <Checkbox onChange={set}><div className="box" />I agree</Checkbox>,
  switch: ({ set }) => <Switch onChange={set}><div className="box" />Wi-Fi</Switch>,
  "radio group": ({ set }) => <RadioGroup onChange={set}><Label>Payment</Label>{["Cash", "Card", "Invoice"].map((one) => <Radio key={one} value={one}>{one}</Radio>)}</RadioGroup>,
  select: ({ set }) => (
    <Select onSelectionChange={set}><Label>Country</Label><Button><SelectValue /><span aria-hidden>▼</span></Button>
      <Popover><ListBox>{COUNTRIES.map((one) => <ListBoxItem key={one} id={one}>{one}</ListBoxItem>)}</ListBox></Popover></Select>
  ),
  combobox: ({ set }) => (
    <ComboBox onSelectionChange={set}><Label>Destination</Label><div><Input /><Button>▼</Button></div>
      <Popover><ListBox>{DESTINATIONS.map((one) => <ListBoxItem key={one} id={one}>{one}</ListBoxItem>)}</ListBox></Popover></ComboBox>
  ),
  slider: ({ set }) => <Slider defaultValue={30} onChange={set}><Label>Volume</Label><SliderOutput /><SliderTrack><SliderThumb /></SliderTrack></Slider>,
  date: ({ set }) => <DateField onChange={(day) => set(day && day.toString())}><Label>Birthday</Label><DateInput>{(segment) => <DateSegment segment={segment} />}</DateInput></DateField>,
  range: ({ set }) => {
    const both = [null, null];
    const at = (i) => (day) => { both[i] = day && day.toString(); set([...both]); };
    return ["Start date", "End date"].map((name, i) => (
      <DatePicker key={name} onChange={at(i)}><Label>{name}</Label><Group><DateInput>{(segment) => <DateSegment segment={segment} />}</DateInput><Button>▼</Button></Group>
        <Popover><Dialog><Calendar><header><Button slot="previous">◀</Button><Heading /><Button slot="next">▶</Button></header><CalendarGrid>{(day) => <CalendarCell date={day} />}</CalendarGrid></Calendar></Dialog></Popover></DatePicker>
    ));
  },
  time: ({ set }) => <TimeField onChange={(t) => set(t && `${two(t.hour)}:${two(t.minute)}`)}><Label>Alarm</Label><DateInput>{(segment) => <DateSegment segment={segment} />}</DateInput></TimeField>,
  colour: ({ set }) => <ColorField onChange={(c) => set(c && c.toString("hex").toLowerCase())}><Label>Colour</Label><Input /></ColorField>,
  tabs: ({ set }) => <Tabs onSelectionChange={set}><TabList aria-label="x">{["General", "Details"].map((one) => <Tab key={one} id={one}>{one}</Tab>)}</TabList>{["General", "Details"].map((one) => <TabPanel key={one} id={one}>About {one}</TabPanel>)}</Tabs>,
  accordion: ({ set }) => ["Shipping", "More options"].map((one) => <Disclosure key={one} onExpandedChange={() => set(one)}><Heading><Button slot="trigger">{one}</Button></Heading><DisclosurePanel>Text</DisclosurePanel></Disclosure>),
  tree: ({ set }) => {
    const item = (name, inner) => <TreeItem id={name} textValue={name} key={name}><TreeItemContent>{({ hasChildItems }) => <>{hasChildItems && <Button slot="chevron">▸</Button>}{name}</>}</TreeItemContent>{inner}</TreeItem>;
    return <Tree aria-label="Files" selectionMode="single" onSelectionChange={(keys) => set([...keys][0])}>{item("Documents", [item("Invoices"), item("Letters")])}{item("Pictures", [item("Holiday")])}</Tree>;
  },
  menu: ({ set }) => (
    <MenuTrigger><Button>File</Button><Popover><Menu onAction={set}><MenuItem id="New">New</MenuItem>
      <SubmenuTrigger><MenuItem id="Export">Export</MenuItem><Popover><Menu onAction={set}><MenuItem id="PDF">PDF</MenuItem><MenuItem id="CSV">CSV</MenuItem></Menu></Popover></SubmenuTrigger></Menu></Popover></MenuTrigger>
  ),
  dialog: ({ set }) => (
    <DialogTrigger><Button>Delete</Button><Modal><Dialog role="alertdialog">{({ close }) => <><Heading slot="title">Delete this item?</Heading><Button onPress={close}>Cancel</Button><Button onPress={() => { set(true); close(); }}>Confirm</Button></>}</Dialog></Modal></DialogTrigger>
  ),
  table: ({ set }) => (
    <Table aria-label="People"><TableHeader><Column isRowHeader>Name</Column><Column>Age</Column><Column>Action</Column></TableHeader>
      <TableBody>{PEOPLE.map((one) => <Row key={one.id}><Cell>{one.name}</Cell><Cell>{one.age}</Cell><Cell><Button onPress={() => set(one.name)}>Edit</Button></Cell></Row>)}</TableBody></Table>
  ),
  sort: ({ set }) => (
    <Table aria-label="People" onSortChange={(how) => set(how.column)}><TableHeader><Column id="Name" isRowHeader allowsSorting>Name</Column><Column id="Age" allowsSorting>Age</Column></TableHeader>
      <TableBody>{PEOPLE.map((one) => <Row key={one.id}><Cell>{one.name}</Cell><Cell>{one.age}</Cell></Row>)}</TableBody></Table>
  ),
  upload: ({ set }) => <FileTrigger onSelect={(files) => set(files[0].name)}><Button>Receipt</Button></FileTrigger>,
  tooltip: ({ set }) => <TooltipTrigger delay={0} onOpenChange={(open) => open && set(true)}><Button>Help</Button><Tooltip>More information</Tooltip></TooltipTrigger>,
});

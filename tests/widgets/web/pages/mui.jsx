import { useState } from "react";
import {
  Accordion, AccordionDetails, AccordionSummary, Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle,
  FormControl, FormControlLabel, FormLabel, InputLabel, Menu, MenuItem, Pagination, Radio, RadioGroup, Rating, Select,
  Slider, Snackbar, Switch, Tab, Table, TableBody, TableCell, TableHead, TableRow, TableSortLabel, Tabs, TextField, Tooltip,
  Typography,
} from "@mui/material";
import { DataGrid } from "@mui/x-data-grid";
import { DatePicker, LocalizationProvider, TimePicker } from "@mui/x-date-pickers";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { SimpleTreeView, TreeItem } from "@mui/x-tree-view";
import { COLOURS, COUNTRIES, DESTINATIONS, PEOPLE, mount } from "./react.jsx";

const Dates = ({ children }) => <LocalizationProvider dateAdapter={AdapterDayjs}>{children}</LocalizationProvider>;

mount({
  "text field": ({ set }) => <TextField label="Name" variant="outlined" onChange={(e) => set(e.target.value)} />,
  "text area": ({ set }) => <TextField label="Notes" multiline rows={4} onChange={(e) => set(e.target.value)} />,
  number: ({ set }) => <TextField label="Amount" type="number" onChange={(e) => set(Number(e.target.value))} />,
  "check box": ({ set }) => <FormControlLabel control={<Checkbox onChange={(e) => set(e.target.checked)} />} label="I agree" />,
  switch: ({ set }) => <FormControlLabel control={<Switch onChange={(e) => set(e.target.checked)} />} label="Wi-Fi" />,
  "radio group": ({ set }) => (
    <FormControl>
      <FormLabel id="pay">Payment</FormLabel>
      <RadioGroup aria-labelledby="pay" defaultValue="Cash" name="pay" onChange={(e) => set(e.target.value)}>
        {["Cash", "Card", "Invoice"].map((one) => <FormControlLabel key={one} value={one} control={<Radio />} label={one} />)}
      </RadioGroup>
    </FormControl>
  ),
  select: ({ set }) => {
    const [value, put] = useState("");
    return (
      <FormControl sx={{ width: 200 }}>
        <InputLabel id="country">Country</InputLabel>
        <Select labelId="country" value={value} label="Country" onChange={(e) => { put(e.target.value); set(e.target.value); }}>
          {COUNTRIES.map((one) => <MenuItem key={one} value={one}>{one}</MenuItem>)}
        </Select>
      </FormControl>
    );
  },
  combobox: ({ set }) => (
    <Autocomplete disablePortal options={DESTINATIONS} sx={{ width: 300 }} onChange={(e, value) => set(value)}
      renderInput={(params) => <TextField {...params} label="Destination" />} />
  ),
  "multi-select": ({ set }) => {
    const [value, put] = useState([]);
    return (
      <FormControl sx={{ width: 300 }}>
        <InputLabel id="colours">Colours</InputLabel>
        <Select labelId="colours" multiple value={value} label="Colours" onChange={(e) => { put(e.target.value); set(e.target.value); }}>
          {COLOURS.map((one) => <MenuItem key={one} value={one}>{one}</MenuItem>)}
        </Select>
      </FormControl>
    );
  },
  "tag field": ({ set }) => (
    <Autocomplete multiple freeSolo options={[]} onChange={(e, value) => set(value)} renderInput={(params) => <TextField {...params} label="Tags" />} />
  ),
  slider: ({ set }) => (
    <div style={{ width: 300 }}>
      <Typography gutterBottom>Volume</Typography>
      <Slider aria-label="Volume" defaultValue={30} onChange={(e, value) => set(value)} />
    </div>
  ),
  rating: ({ set }) => (
    <div>
      <Typography component="legend">Rating</Typography>
      <Rating name="stars" defaultValue={2} onChange={(e, value) => set(value)} />
    </div>
  ),
  date: ({ set }) => <DatePicker label="Birthday" onChange={(value) => set(value && value.isValid() ? value.format("YYYY-MM-DD") : null)} />,
  time: ({ set }) => <TimePicker label="Alarm" onChange={(value) => set(value && value.isValid() ? value.format("HH:mm") : null)} />,
  range: ({ set }) => {
    const [both] = useState([null, null]);
    const at = (i) => (value) => { both[i] = value && value.isValid() ? value.format("YYYY-MM-DD") : null; set([...both]); };
    return <div><DatePicker label="Start date" onChange={at(0)} /><DatePicker label="End date" onChange={at(1)} /></div>;
  },
  colour: ({ set }) => <TextField label="Colour" type="color" sx={{ width: 120 }} onChange={(e) => set(e.target.value)} />,
  tabs: ({ set }) => {
    const [value, put] = useState(0);
    return (
      <div>
        <Tabs value={value} onChange={(e, now) => { put(now); set(["General", "Details", "History"][now]); }} aria-label="sections">
          <Tab label="General" /><Tab label="Details" /><Tab label="History" />
        </Tabs>
      </div>
    );
  },
  accordion: ({ set }) => (
    <div>
      <Accordion onChange={(e, open) => set(open && "Shipping")}><AccordionSummary>Shipping</AccordionSummary><AccordionDetails>By post</AccordionDetails></Accordion>
      <Accordion onChange={(e, open) => set(open && "More options")}><AccordionSummary>More options</AccordionSummary><AccordionDetails>Gift wrap</AccordionDetails></Accordion>
    </div>
  ),
  tree: ({ set }) => (
    <SimpleTreeView onItemClick={(e, id) => set(id)}>
      <TreeItem itemId="Documents" label="Documents"><TreeItem itemId="Invoices" label="Invoices" /><TreeItem itemId="Letters" label="Letters" /></TreeItem>
      <TreeItem itemId="Pictures" label="Pictures"><TreeItem itemId="Holiday" label="Holiday" /></TreeItem>
    </SimpleTreeView>
  ),
  menu: ({ set }) => {
    const [anchor, open] = useState(null);
    const [inner, unfold] = useState(null);
    const pick = (what) => () => { set(what); open(null); unfold(null); };
    return (
      <div>
        <Button onClick={(e) => open(e.currentTarget)}>File</Button>
        <Menu anchorEl={anchor} open={!!anchor} onClose={pick("closed")}>
          <MenuItem onClick={pick("New")}>New</MenuItem>
          <MenuItem onClick={(e) => unfold(e.currentTarget)}>Export</MenuItem>
        </Menu>
        <Menu anchorEl={inner} open={!!inner} onClose={pick("closed")} anchorOrigin={{ vertical: "top", horizontal: "right" }}>
          <MenuItem onClick={pick("PDF")}>PDF</MenuItem><MenuItem onClick={pick("CSV")}>CSV</MenuItem>
        </Menu>
      </div>
    );
  },
  dialog: ({ set }) => {
    const [open, put] = useState(false);
    return (
      <div>
        <Button variant="outlined" onClick={() => put(true)}>Delete</Button>
        <Dialog open={open} onClose={() => put(false)}>
          <DialogTitle>Delete this item?</DialogTitle>
          <DialogActions><Button onClick={() => put(false)}>Cancel</Button><Button onClick={() => { set(true); put(false); }}>Confirm</Button></DialogActions>
        </Dialog>
      </div>
    );
  },
  table: ({ set }) => (
    <div style={{ height: 300 }}>
      <DataGrid rows={PEOPLE} columns={[{ field: "name", headerName: "Name" }, { field: "age", headerName: "Age" }, {
        field: "do", headerName: "Actions", renderCell: ({ row }) => <Button onClick={() => set(row.name)}>Edit</Button>,
      }]} />
    </div>
  ),
  sort: ({ set }) => (
    <Table>
      <TableHead><TableRow>{["Name", "Age"].map((one) => <TableCell key={one}><TableSortLabel onClick={() => set(one)}>{one}</TableSortLabel></TableCell>)}</TableRow></TableHead>
      <TableBody>{PEOPLE.map((one) => <TableRow key={one.id}><TableCell>{one.name}</TableCell><TableCell>{one.age}</TableCell></TableRow>)}</TableBody>
    </Table>
  ),
  pages: ({ set }) => <Pagination count={10} onChange={(e, page) => set(page)} />,
  upload: ({ set }) => (
    <Button component="label" variant="contained">Receipt<input type="file" hidden onChange={(e) => set(e.target.files[0].name)} /></Button>
  ),
  toast: ({ set }) => {
    const [open, put] = useState(false);
    return <div><Button onClick={() => { put(true); set(true); }}>Save</Button><Snackbar open={open} autoHideDuration={6000} message="Profile saved" /></div>;
  },
  tooltip: ({ set }) => <Tooltip title="More information" onOpen={() => set(true)}><Button>Help</Button></Tooltip>,
}, Dates);

import { createRoot } from "react-dom/client";
import { Admin, Resource, ListGuesser, List, Datagrid, TextField, NumberField, DateField, BooleanField, EditButton,
  Edit, Create, SimpleForm, TextInput, NumberInput, DateInput, BooleanInput, SelectInput, SearchInput, required } from "react-admin";
import jsonServer from "ra-data-json-server";

const boards = ["none", "breakfast", "half", "full"].map((name) => ({ id: name, name }));
const fields = () => (
  <SimpleForm>
    <TextInput source="name" validate={required()} />
    <NumberInput source="room" />
    <DateInput source="arrival" />
    <SelectInput source="board" choices={boards} />
    <BooleanInput source="vip" label="VIP" />
    <TextInput source="remark" multiline />
  </SimpleForm>
);
const guests = () => (
  <List filters={[<SearchInput source="q" alwaysOn key="q" />]}>
    <Datagrid rowClick="edit">
      <TextField source="name" /><NumberField source="room" /><DateField source="arrival" />
      <TextField source="board" /><BooleanField source="vip" label="VIP" /><EditButton />
    </Datagrid>
  </List>
);
createRoot(document.getElementById("root")).render(
  <Admin dataProvider={jsonServer("")} title="Hotel">
    <Resource name="guests" list={guests} edit={() => <Edit mutationMode="pessimistic">{fields()}</Edit>} create={() => <Create>{fields()}</Create>} recordRepresentation="name" />
    <Resource name="rooms" list={ListGuesser} />
  </Admin>,
);

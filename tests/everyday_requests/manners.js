// How the programs that run in pages send: one function for each manner, in the form in which its framework does it.
const $ = (id) => document.getElementById(id);
let answers = 0;
const told = (answer) => (($("said").textContent = `Up to date (${++answers})`), answer);
const failed = () => (($("said").textContent = "Could not be reached"), null);
const later = (work, ms = 250) => { let timer; return (...all) => (clearTimeout(timer), (timer = setTimeout(() => work(...all), ms))); };
const on = (selector, event, work) =>
  document.addEventListener(event, (e) => { const at = e.target.closest?.(selector); if (at) work(at, e); }, event === "blur" || event === "focus");
const encoded = (fields) => new URLSearchParams(Object.entries(fields)).toString();
const URLENCODED = { "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" };

// A single-page application: JSON by fetch.
const json = (method, path, body, headers = {}) =>
  fetch(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body === undefined ? undefined : JSON.stringify(body) }).then(told, failed);

// jQuery and its kin: fields by XMLHttpRequest.
const ajax = (path, fields, headers = {}, method = "POST") => {
  const sends = new XMLHttpRequest();
  sends.open(method, path);
  for (const [name, value] of Object.entries({ ...URLENCODED, "X-Requested-With": "XMLHttpRequest", ...headers })) sends.setRequestHeader(name, value);
  sends.onload = told;
  sends.onerror = failed;
  sends.send(typeof fields === "string" ? fields : encoded(fields));
};

// A hidden form, as link helpers of server frameworks make it.
const submitted = (path, fields, method = "post") => {
  const form = Object.assign(document.createElement("form"), { method, action: path });
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
};

// JavaServer Faces: a partial request to the page's own address.
const faces = (source, event, fields = {}) =>
  ajax(location.pathname, {
    "javax.faces.partial.ajax": "true", "javax.faces.source": source, "javax.faces.partial.execute": source,
    "javax.faces.partial.render": "main", ...(event ? { "javax.faces.behavior.event": event, "javax.faces.partial.event": event } : {}),
    main: "main", ...fields, "javax.faces.ViewState": "-4512973300716485531:8839027716650214",
  }, { "Faces-Request": "partial/ajax" });

// ASP.NET Web Forms: the one form of the page goes back to it.
const __doPostBack = (target, argument) => {
  const form = document.forms.aspnetForm;
  form.__EVENTTARGET.value = target;
  form.__EVENTARGUMENT.value = argument;
  form.submit();
};

// GraphQL, whole and persisted.
const graphql = (operationName, query, variables = {}) => json("POST", "/graphql", { operationName, variables, query });
const persisted = (operationName, variables = {}) =>
  json("POST", `/api/graphql/${operationName}`, { variables, extensions: { persistedQuery: { version: 1, sha256Hash: "9f3cda6e8b0f4b7d8a1c" } } });

// Remote procedures: gRPC-Web (a length-prefixed frame), JSON-RPC, tRPC, server actions.
const grpc = (path, text = "") => {
  const message = new TextEncoder().encode(text);
  const frame = new Uint8Array([0, 0, 0, 0, message.length, ...message]);
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1" }, body: frame }).then(told, failed);
};
const rpc = (path, method, params) => json("POST", path, { jsonrpc: "2.0", method, params, id: ++answers });
const trpc = (name, input) => json("POST", `/api/trpc/${name}?batch=1`, { 0: { json: input } });
const action = (id, ...given) =>
  fetch(location.pathname, { method: "POST", headers: { "Next-Action": id, Accept: "text/x-component", "Content-Type": "text/plain;charset=UTF-8" }, body: JSON.stringify(given) }).then(told, failed);

// htmx and Livewire.
const hx = (method, path, fields = {}, target = "list") =>
  fetch(path, { method, headers: { ...URLENCODED, "HX-Request": "true", "HX-Target": target, "HX-Current-URL": location.href }, body: encoded(fields) }).then(told, failed);
const livewire = (component, calls, updates = {}) =>
  json("POST", "/livewire/update", { _token: "k3Yp0", components: [{ snapshot: `{"memo":{"name":"${component}"},"checksum":"5e1a"}`, updates, calls: calls.map(([method, ...params]) => ({ path: "", method, params })) }] }, { "X-Livewire": "" });

// What pages tell about themselves.
const beacon = (path, data) => navigator.sendBeacon(path, typeof data === "string" ? data : JSON.stringify(data));
const report = (message) =>
  fetch(`http://errors.watchtower.localhost:${location.port}/api/5/envelope/?sentry_key=77ab`, { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" },
    body: `{"event_id":"7d1f"}\n{"type":"event"}\n{"message":${JSON.stringify(message)},"level":"error"}` }).catch(() => null);
const measured = (event, details = {}) =>
  beacon(`http://collect.metering.localhost:${location.port}/g/collect?v=2&tid=M-41`, encoded({ en: event, dl: location.href, ...details }));

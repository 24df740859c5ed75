const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.split(",")[1] || "");
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});
async function bodyOf(form) {
  const body = {};
  for (const field of form.querySelectorAll("[name]")) {
    if (field.type === "file") {
      if (field.files[0]) { body.data = await base64(field.files[0]); body.name = field.files[0].name; }
    }
    else if (field.type === "checkbox") body[field.name] = field.checked;
    else if (field.name.endsWith("[]")) (body[field.name.slice(0, -2)] ||= []).push(field.value);
    else if (field.name.startsWith("values.")) { if (field.value) (body.values ||= {})[field.name.slice(7)] = field.value; }
    else body[field.name] = field.value;
  }
  return JSON.stringify(body);
}
async function send(address, body) {
  const answer = await fetch(address, { method: "POST", headers: { "X-Guiagent": "1" }, body });
  const told = await answer.json();
  return answer.ok ? told : { refused: told.title, faults: told.faults };
}
// What is not understood is said beside its line.
function tellFaults(form, faults = {}) {
  form.querySelectorAll(".edit").forEach((line, at) => {
    const field = line.querySelector("textarea"), fault = line.querySelector(".fault");
    fault.textContent = faults[at] || "";
    fault.id = `fault-${at}`;
    field.ariaInvalid = String(at in faults);
    field.setAttribute("aria-describedby", fault.id);
  });
  form.querySelector("[aria-invalid=true]")?.focus();
}
function tell(form, text, tone = "bad") {
  let said = form.querySelector(".said");
  if (!said) {
    said = Object.assign(document.createElement("p"), { className: "said", role: "alert" });
    form.append(said);
  }
  said.classList.toggle("good", tone === "good");
  said.textContent = text;
}
document.addEventListener("submit", async (event) => {
  const form = event.target, action = event.submitter?.dataset.post || form.dataset.post;
  if (!action) return;
  event.preventDefault();
  if (form.ariaBusy) return;
  form.ariaBusy = "true";  // a disabled button would lose the focus
  try {
    if (form.querySelector(".said")) tell(form, "");
    const told = await send(action, await bodyOf(form)), shown = event.submitter?.dataset.show || form.dataset.show;
    tellFaults(form, told.faults);
    if (told.refused) tell(form, told.refused);
    else if (shown) document.getElementById(shown).textContent = told.text;
    else {
      const go = (event.submitter?.dataset.go || form.dataset.go)?.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(told[name]));
      if (!go || go.startsWith("#")) await refresh();
      if (told.text) tell(form, told.text, "good");
      if (go) location.href = go;
    }
  } catch { tell(form, document.body.dataset.ended); }
  form.ariaBusy = null;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();  // a field would submit once more by itself
  event.target.form?.requestSubmit();
});
document.addEventListener("click", (event) => {
  const text = event.target.dataset?.insert, field = text && event.target.form.elements.task;
  if (!field) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
});
document.addEventListener("click", (event) => {
  const line = event.target.closest("[data-add], [data-drop]")?.closest(".edit");
  if (!line) return;
  const list = line.parentElement, more = event.target.closest("[data-add]") && line.cloneNode(true);
  if (more) {
    for (const field of more.querySelectorAll("input, textarea")) field.value = "";
    more.querySelectorAll("p").forEach((one) => one.classList.contains("fault") ? one.textContent = "" : one.remove());
    line.after(more);
  } else if (list.children.length > 1) line.remove();
  else line.querySelectorAll("input, textarea").forEach((field) => { field.value = ""; });
  [...list.children].forEach((one, at) => one.querySelectorAll(".place").forEach((place) => { place.textContent = at + 1; }));
  (more || list.lastElementChild).querySelector("textarea").focus();
});
const known = new Map([...document.querySelectorAll("[data-live]")].map((one) => [one.id, one.innerHTML]));
let refreshing = Promise.resolve();
const refresh = () => refreshing = refreshing.catch(() => {}).then(load);  // in sequence, so that an older page never replaces a newer one
async function load() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  for (const [id, before] of known) {
    const here = document.getElementById(id), now = page.getElementById(id)?.innerHTML ?? "";
    if (now === before) continue;
    known.set(id, now);
    const parts = () => [...here.querySelectorAll("a, button, summary, input:not([type=hidden])")];
    const mark = (one) => [one.form?.dataset.post, one.name, one.textContent].join();
    const at = parts().indexOf(document.activeElement), held = at < 0 ? "" : mark(document.activeElement);
    const typed = new Map(parts().filter((one) => one.name).map((one) => [mark(one), one.value]));
    const open = new Set([...here.querySelectorAll("details[open] > summary")].map(mark));
    here.innerHTML = now;
    for (const one of parts()) {
      if (typed.has(mark(one))) one.value = typed.get(mark(one));
      if (one.localName === "summary" && open.has(mark(one))) one.parentElement.open = true;
    }
    if (at >= 0) (parts().find((one) => mark(one) === held) || parts()[at] || here).focus();
  }
}
new EventSource("/news").onmessage = () => refresh().catch(() => {});

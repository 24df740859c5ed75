const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.split(",")[1] || "");
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});
async function bodyOf(form) {
  const body = {};
  for (const field of form.querySelectorAll("[name]")) {
    if (field.type === "file") { body.data = await base64(field.files[0]); body.name = field.files[0].name; }
    else if (field.type === "checkbox") body[field.name] = field.checked;
    else if (field.name.startsWith("values.")) { if (field.value) (body.values ||= {})[field.name.slice(7)] = field.value; }
    else body[field.name] = field.value;
  }
  return JSON.stringify(body);
}
document.addEventListener("submit", async (event) => {
  const form = event.target, said = form.querySelector(".said");
  if (!form.dataset.post) return;
  event.preventDefault();
  if (form.ariaBusy) return;
  const say = (text) => said ? said.textContent = text : text && alert(text);
  form.ariaBusy = "true";  // a disabled button would lose the focus
  try {
    say("");
    const answer = await fetch(form.dataset.post, { method: "POST", headers: { "X-Guiagent": "1" }, body: await bodyOf(form) });
    const told = await answer.json();
    if (!answer.ok) say(told.title);
    else {
      const go = form.dataset.go?.replace(/\{(\w+)\}/g, (_, name) => told[name]);
      if (!go || go.startsWith("#")) await refresh();
      if (go) location.href = go;
    }
  } catch { say("The server has ended."); }
  form.ariaBusy = null;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) event.target.form.requestSubmit();
});
const known = new Map([...document.querySelectorAll("[data-live]")].map((one) => [one.id, one.innerHTML]));
let refreshing = Promise.resolve();
const refresh = () => refreshing = refreshing.catch(() => {}).then(load);  // in sequence, so that an older page never replaces a newer one
async function load() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  for (const [id, before] of known) {
    const here = document.getElementById(id), now = page.getElementById(id).innerHTML;
    if (now === before) continue;
    known.set(id, now);
    const parts = () => [...here.querySelectorAll("a, button, input:not([type=hidden])")];
    const mark = (one) => [one.form?.dataset.post, one.name, one.textContent].join();
    const at = parts().indexOf(document.activeElement), held = at < 0 ? "" : mark(document.activeElement);
    const typed = new Map(parts().filter((one) => one.name).map((one) => [mark(one), one.value]));
    here.innerHTML = now;
    for (const one of parts()) if (typed.has(mark(one))) one.value = typed.get(mark(one));
    if (at >= 0) (parts().find((one) => mark(one) === held) || parts()[at] || here).focus();
  }
}
new EventSource("/news").onmessage = () => refresh().catch(() => {});

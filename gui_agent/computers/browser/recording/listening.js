// Reports a person's actions in this frame. It listens before the page does, to real input only, and looks at the
// page before the page reacts. It runs in an isolated world, where the page can neither see nor call it.
(() => {
  "use strict";
  if (globalThis.guiagentListening) globalThis.guiagentListening.start();
  if (globalThis.guiagentListening || !globalThis.guiagentTold) return;
  const CAP = 400;
  const TICKED = new Set(["checkbox", "radio"]);
  const SET = new Set(["range", "date", "time", "month", "week", "datetime-local", "color"]);
  const BUTTONS = new Set(["button", "submit", "reset", "image"]);
  const HELD = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock", "Dead", "Process", "Unidentified"]);
  const EDITING = new Set(["Backspace", "Delete", "ArrowLeft", "ArrowRight", "Home", "End", "Insert"]);
  const CARET = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown"]);
  const EDITING_CHORDS = new Set(["a", "v", "x", "z", "y", "arrowleft", "arrowright", "home", "end", "backspace", "delete"]);
  const SCROLLING = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", " "]);
  const PRESSABLE = "button,a[href],summary,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],"
    + "[role=checkbox],[role=switch],[role=radio],[role=menuitemcheckbox],[role=menuitemradio],[role=treeitem]";

  const name = Math.random().toString(36).slice(2);
  let count = 0;
  let listening = true;
  let files = []; // the last ones given to a file field
  let last = ""; // the last look
  let visit = null; // a stay in a field: from the first key or click until it is left
  let newline = null; // an Enter in a multi-line field whose effect is not known yet
  let pressed = []; // the target of the mouse press, and its ancestors then
  const before = new WeakMap(); // values of fields at the last look

  const fresh = () => `${name}:${++count}`;
  const tell = (kind, facts) => globalThis.guiagentTold(JSON.stringify({ kind, document: home().guiagent.document, ...facts }));

  // The outermost document that this frame can access.
  function home() {
    let win = window;
    try {
      while (win.parent !== win && win.parent.guiagent) win = win.parent;
    } catch {
      // a frame of another origin is a separate page
    }
    return win;
  }

  function look() {
    last = fresh();
    tell("look", { look: last, seen: home().guiagent.look(CAP) });
    return last;
  }

  const ids = (node, x, y) => home().guiagent.idsAt(node, x, y);
  const at = (event) => home().guiagent.inPicture(window, event.clientX, event.clientY);
  const source = (event) => event.composedPath()[0];

  function fieldOf(node, labels) {
    if (!node || node.nodeType !== 1) return null;
    if (node.isContentEditable) {
      let host = node;
      while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
      return host;
    }
    const own = node.closest("input,textarea,select");
    if (own || !labels) return own;
    const label = node.closest("label");
    return label && label.control && label.control.matches("input,textarea,select") ? label.control : null;
  }

  // text: characters become its value; set: its value is set in another way; list, select, tick, file, button.
  function kindOf(field) {
    if (!field) return "";
    if (field.localName === "select") return field.multiple || field.size > 1 ? "list" : "select";
    if (field.localName !== "input") return "text";
    if (TICKED.has(field.type)) return "tick";
    if (BUTTONS.has(field.type)) return "button";
    if (field.type === "file") return "file";
    return SET.has(field.type) ? "set" : "text";
  }

  const severalLines = (field) => field.localName !== "input";
  const valueOf = (field) => (field.isContentEditable ? field.innerText.replace(/\n$/, "") : field.value);
  const chosen = (list) => Array.from(list.selectedOptions, (option) => (option.label || option.text).trim());

  function begin(field, seen) {
    if (visit && visit.field === field) return;
    end();
    visit = { id: fresh(), field, was: valueOf(field), value: "", look: seen || look(), typed: false };
    before.set(field, visit.was);
  }

  function typed() {
    const { id, field, was, look: seen } = visit;
    visit.typed = true;
    visit.value = valueOf(field);
    before.set(field, visit.value);
    const facts = { visit: id, look: seen, ids: ids(field), was, text: visit.value };
    tell("type", { ...facts, secret: field.type === "password", field: kindOf(field) });
  }

  function end() {
    if (visit && visit.typed) {
      if (visit.field.isConnected && valueOf(visit.field) !== visit.value) typed();
      tell("typed", { visit: visit.id });
    }
    visit = null;
  }

  function on(event, act) {
    const listen = (given) => {
      if (!given.isTrusted || !listening) return;
      try {
        act(given);
      } catch (error) {
        tell("fault", { text: `${event}: ${error.message}` });
      }
    };
    window.addEventListener(event, listen, { capture: true, passive: true });
  }

  function held(event) {
    const keys = [];
    const third = event.getModifierState && event.getModifierState("AltGraph");
    if (event.ctrlKey && !third) keys.push("ctrl");
    if (event.altKey && !third) keys.push("alt");
    if (event.shiftKey) keys.push("shift");
    if (event.metaKey) keys.push("meta");
    return keys;
  }

  function onScrollbar(node, event) {
    const root = document.documentElement;
    if (event.clientX >= root.clientWidth && innerWidth > root.clientWidth) return true;
    if (event.clientY >= root.clientHeight && innerHeight > root.clientHeight) return true;
    if (node.scrollHeight <= node.clientHeight && node.scrollWidth <= node.clientWidth || node === root || node === document.body) return false;
    const box = node.getBoundingClientRect();
    const x = event.clientX - box.left - node.clientLeft;
    const y = event.clientY - box.top - node.clientTop;
    const bars = getComputedStyle(node).overflow;
    return /auto|scroll/.test(bars) && (x >= node.clientWidth || y >= node.clientHeight);
  }

  // The content of the largest element at a point that does not contain the dragged one: its column, its box.
  function inside(event) {
    const item = pressed.length ? pressed[0].closest("[draggable=true],li,tr,[role=listitem],[role=option]") || pressed[0] : null;
    for (let node of document.elementsFromPoint(event.clientX, event.clientY)) {
      if (!item || pressed.includes(node) || item.contains(node)) continue;
      while (node.parentElement && !pressed.includes(node.parentElement)) node = node.parentElement;
      const own = home().guiagent.idsIn(item);
      const found = home().guiagent.idsIn(node).filter((id) => !own.includes(id));
      if (found.length) return found;
    }
    return [];
  }

  on("pointerdown", (event) => {
    sent();
    pressed = event.composedPath().filter((node) => node.nodeType === 1);
    const node = source(event);
    const field = fieldOf(node, true);
    const kind = kindOf(field);
    if (visit && visit.field === field) return;
    end();
    if (onScrollbar(node, event)) return;
    const seen = look();
    if (kind === "list" || kind === "select") before.set(field, chosen(field));
    const [x, y] = at(event);
    const here = ids(node, event.clientX, event.clientY);
    tell("down", { look: seen, ids: field ? [...here, ...ids(field)] : here, x, y, button: event.button, keys: held(event), field: kind, shows: kind === "select" ? chosen(field)[0] || "" : "" });
    if (kind === "text" || kind === "set") begin(field, seen);
  });
  on("pointerup", (event) => {
    const [x, y] = at(event);
    tell("up", { x, y, ids: inside(event) });
  });
  on("dblclick", () => tell("double", {}));
  on("drop", (event) => {
    const [x, y] = at(event);
    tell("drop", { x, y, ids: inside(event) });
  });

  on("beforeinput", (event) => {
    if (/^insert(LineBreak|Paragraph)$/.test(event.inputType)) newline = null;
    sent();
    const field = fieldOf(source(event), false);
    if (kindOf(field) === "text") begin(field);
  });
  on("input", (event) => {
    const field = fieldOf(source(event), false);
    const kind = kindOf(field);
    if (kind !== "text" && kind !== "set") return;
    if (!visit || visit.field !== field) {
      end();
      visit = { id: fresh(), field, was: before.get(field) || "", value: "", look: last || look(), typed: false };
    }
    typed();
  });
  on("focusout", (event) => {
    sent();
    if (visit && visit.field === fieldOf(source(event), false)) end();
  });
  on("change", (event) => {
    const field = source(event);
    const kind = kindOf(fieldOf(field, false));
    if (kind === "tick") tell("check", { look: last, ids: ids(field), on: field.checked });
    else if (kind === "file") {
      files = field.files;
      tell("files", { look: last, ids: ids(field), files: Array.from(files, (given) => given.name) });
    } else if (kind === "select" || kind === "list") {
      const was = before.get(field) || [];
      const now = chosen(field);
      before.set(field, now);
      const added = kind === "select" ? now : now.filter((text) => !was.includes(text));
      for (const option of added) tell("choose", { look: last, ids: ids(field), option, field: kind });
    }
  });
  on("pagehide", end);

  on("keydown", (event) => {
    sent();
    if (event.isComposing || event.keyCode === 229 || HELD.has(event.key)) return;
    const node = source(event);
    const field = fieldOf(node, false);
    const keys = held(event);
    const command = keys.some((key) => key !== "shift");
    const kind = kindOf(field);
    if (kind === "text" && edits(event, field, keys, command)) return begin(field);
    if (kind === "text" && event.key === "Enter" && !command && severalLines(field)) return perhapsNewline(event, field, keys);
    const own = kind === "set" || kind === "select" || kind === "list" || kind === "tick" || kind === "file";
    if (own && !command && !["Enter", "Escape", "Tab"].includes(event.key)) {
      if (kind === "set") begin(field);
      else look();
      if (kind === "list" || kind === "select") before.set(field, chosen(field));
      return;
    }
    end();
    const activates = !command && (event.key === "Enter" || event.key === " ") && (kind === "button" || (!kind && node.matches && node.matches(PRESSABLE)));
    const facts = { look: look(), ids: ids(node), keys: [...keys.filter((key) => key !== "shift" || command || event.key.length > 1), event.key], activates };
    const idle = SCROLLING.has(event.key) && !command && !activates && (node === document.body || node === document.documentElement);
    if (!idle) tell("press", facts);
    else setTimeout(() => event.defaultPrevented && tell("press", facts), 0);
  });

  // Whether a key only edits the text of its field.
  function edits(event, field, keys, command) {
    const key = event.key;
    if (!command) return key.length === 1 || EDITING.has(key) || (CARET.has(key) && (severalLines(field) || field.type === "number"));
    return !keys.includes("alt") && EDITING_CHORDS.has(key.toLowerCase());
  }

  // Enter makes a new line, unless the page submits the text instead.
  function perhapsNewline(event, field, keys) {
    begin(field);
    if (visit.typed) typed();
    const mine = { look: look(), ids: ids(field), keys: [...keys, "Enter"], activates: false };
    newline = mine;
    setTimeout(() => newline === mine && sent(), 0);
  }

  // The page handled Enter by itself, and perhaps emptied the field, which is not typing.
  function sent() {
    if (!newline) return;
    if (visit && visit.typed) tell("typed", { visit: visit.id });
    visit = null;
    tell("press", newline);
    newline = null;
  }

  // Ends the recording here and in the frames of this origin inside.
  function stop() {
    sent();
    end();
    listening = false;
    for (let i = 0; i < window.length; i++) {
      try {
        window[i].guiagentListening.stop();
      } catch {
        // a frame of another origin is stopped separately, or never listened
      }
    }
  }
  const start = () => void (listening = true);
  const file = (place) => files[place];
  // The person marked something with the bar; what was typed before is finished by that.
  function mark(act, node, x, y) {
    sent();
    end();
    tell("mark", { act, look: look(), ids: node ? ids(node, x, y) : [] });
  }

  globalThis.guiagentListening = { start, stop, file, mark };
})();

// Runs in a page before its own scripts: keeps open what they would close to whoever acts for a person. What is put into a
// closed shadow root, and words that are drawn on a canvas, are seen by a person.
(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(how) {
    return attach.call(this, { ...how, mode: "open" });
  };

  // What is turned by a wheel: told when asked, one event on each.
  const turned = new Set(); // WeakRefs
  const turns = (el) => el instanceof Element && turned.add(new WeakRef(el));
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(type, ...more) {
    if (type === "wheel" || type === "mousewheel") turns(this);
    return listen.call(this, type, ...more);
  };
  const wheel = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "onwheel");
  if (wheel) {
    Object.defineProperty(HTMLElement.prototype, "onwheel", {
      ...wheel,
      set(work) {
        turns(this);
        wheel.set.call(this, work);
      },
    });
  }
  listen.call(window, "gui_agent.turned", () => {
    for (const one of turned) {
      const el = one.deref();
      if (!el) turned.delete(one);
      else if (el.isConnected) el.dispatchEvent(new CustomEvent("gui_agent.turns", { composed: true }));
    }
  }, { capture: true });

  const MOST = 200; // texts of a canvas that are kept, the newest
  const drawn = new WeakMap(); // canvas -> its texts: "x|y|words" -> [words, left, top, right, bottom, base line] in parts of its size
  const pen = window.CanvasRenderingContext2D && CanvasRenderingContext2D.prototype;
  if (!pen) return;
  const note = (context, words, x, y) => {
    const { canvas } = context;
    if (!canvas || typeof words !== "string" && typeof words !== "number" || !String(words).trim()) return;
    let texts = drawn.get(canvas);
    if (!texts) drawn.set(canvas, (texts = new Map()));
    const at = context.getTransform().transformPoint(new DOMPoint(Number(x), Number(y)));
    const { width, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = context.measureText(words);
    const left = at.x - (context.textAlign === "center" ? width / 2 : /right|end/.test(context.textAlign) ? width : 0);
    const box = [left / canvas.width, (at.y - up) / canvas.height, (left + width) / canvas.width, (at.y + down) / canvas.height, at.y / canvas.height];
    const key = `${Math.round(left)}|${Math.round(at.y)}`;
    if (canvas.ownerDocument && canvas.ownerDocument !== document) { // drawn by the functions of another frame
      canvas.dispatchEvent(new CustomEvent("gui_agent.noted", { detail: JSON.stringify([key, String(words).slice(0, 200), ...box]), composed: true }));
      return;
    }
    texts.delete(key);
    texts.set(key, [String(words).slice(0, 200), ...box]);
    if (texts.size > MOST) texts.delete(texts.keys().next().value);
  };
  const off = window.OffscreenCanvasRenderingContext2D && OffscreenCanvasRenderingContext2D.prototype;
  for (const [of, name] of [[pen, "fillText"], [pen, "strokeText"], [off, "fillText"], [off, "strokeText"]]) {
    if (!of) continue;
    const draw = of[name];
    of[name] = function (words, x, y, ...more) {
      try {
        note(this, words, x, y);
      } catch {
        // what cannot be noted is drawn all the same
      }
      return draw.call(this, words, x, y, ...more);
    };
  }
  const copy = (from, to) => {
    const known = drawn.get(from);
    const words = known ? lines([...known.values()]).map((one) => one[0])
      : from instanceof HTMLImageElement ? [from.alt, written(from.src)] : [];
    if (!words.some(Boolean)) return;
    if (!drawn.has(to)) drawn.set(to, new Map());
    words.slice(0, 20).forEach((one, number) => one && drawn.get(to).set(`copy ${number}`, [one, 0, 0, 1, 1, 1]));
  };
  // The words in a picture that is drawn by its address, else the name of its file.
  const written = (address) => {
    if (!address.startsWith("data:")) return address.replace(/[?#].*$/, "").split("/").pop();
    return /^data:image\/svg/.test(address) ? decodeURIComponent(address.slice(0, 20000)).replace(/^.*?,|<[^>]*>/g, " ").trim().slice(0, 200) : "";
  };
  const picture = pen.drawImage;
  pen.drawImage = function (from, ...more) {
    try {
      copy(from, this.canvas);
    } catch {
      // as above
    }
    return picture.call(this, from, ...more);
  };
  listen.call(window, "gui_agent.noted", (event) => {
    const canvas = event.composedPath()[0];
    const [key, ...text] = JSON.parse(event.detail);
    if (!drawn.has(canvas)) drawn.set(canvas, new Map());
    if (drawn.get(canvas).size < MOST) drawn.get(canvas).set(String(key), text);
  }, { capture: true });
  const clear = pen.clearRect;
  pen.clearRect = function (x, y, width, height) {
    const { canvas } = this;
    if (canvas && x <= 0 && y <= 0 && width >= canvas.width && height >= canvas.height) drawn.delete(canvas);
    return clear.call(this, x, y, width, height);
  };
  // Words drawn letter by letter are told as words too.
  const lines = (texts) => {
    const rows = [];
    for (const one of texts.slice().sort((a, b) => Math.abs(a[5] - b[5]) > 0.01 ? a[5] - b[5] : a[1] - b[1])) {
      const last = rows[rows.length - 1];
      const beside = last && Math.abs(last[5] - one[5]) <= 0.01 && one[1] - last[3] < 0.1;
      if (!beside) rows.push(one.slice());
      else rows[rows.length - 1] = [last[0] + (one[1] - last[3] > 0.012 ? " " : "") + one[0], last[1], Math.min(last[2], one[2]), one[3], Math.max(last[4], one[4]), last[5]];
    }
    return [...texts, ...rows.filter((row) => !texts.some((one) => one[0] === row[0]))];
  };
  listen.call(window, "gui_agent.drawn", (event) => {
    const canvas = event.composedPath()[0];
    const texts = drawn.get(canvas);
    if (texts) canvas.dispatchEvent(new CustomEvent("gui_agent.drawn?", { detail: JSON.stringify(lines([...texts.values()])) }));
  }, { capture: true });
})()

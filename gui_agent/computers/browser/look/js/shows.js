// Fields that hide their text during typing.
const MASKING_FONT = /text-?security|password|passdots|dots?font|bullets?|asterisk/i;
const EDITOR = "[class*=edit i],[class*=code i],[class*=monaco i],[class*=highlight i],[class*=ace_ i]";

function fieldFacts(el, tag, put) {
  put("conceals", !el.readOnly && el.getAttribute("role") !== "combobox" && isConcealed(el, tag));
  const row = tag === "input" && el.maxLength === 1 && el.parentElement;
  for (let box = row, up = 0; box && up < 3; box = box.parentElement, up++) {
    const boxes = box.querySelectorAll("input[maxlength='1']").length;
    if (boxes >= 4 && boxes <= 10) return put("fill", "one-time-code"); // a box for each digit of a code
    if (boxes > 10) return;
  }
}

function isConcealed(el, tag) {
  const style = getComputedStyle(el);
  if (style.webkitTextSecurity && style.webkitTextSecurity !== "none") return true;
  if (MASKING_FONT.test(style.fontFamily)) return true;
  if (/^[•●∙*＊◦⬤]{3,}$/.test(tag === "input" || tag === "textarea" ? el.value : el.textContent)) return true;
  if (tag !== "input" && (el.closest(EDITOR) || el.parentElement && el.parentElement.querySelector("pre,code"))) return false;
  const letters = rgba(style.webkitTextFillColor) || rgba(style.color);
  const back = rgba(style.backgroundColor);
  const size = parseFloat(style.fontSize);
  const box = el.getBoundingClientRect();
  if (tag === "input" && (box.width < 12 && el.maxLength !== 1 || box.height < 9 || style.opacity < 0.1 || /inset\((?:100|[5-9]\d)%/.test(style.clipPath))) return true;
  if (letters && letters[3] < 0.05) return true;
  if (letters && back && back[3] === 1 && letters.slice(0, 3).every((one, place) => Math.abs(one - back[place]) < 8)) return true;
  if (size < 3 || parseFloat(style.letterSpacing) < -0.7 * size || Math.abs(parseFloat(style.textIndent)) > 300) return true;
  return /blur\(/.test(style.filter);
}

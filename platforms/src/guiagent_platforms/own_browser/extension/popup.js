// The page behind the extension's button: the person lends the tab in front, or ends it.

const lend = document.getElementById("lend"), end = document.getElementById("end");

async function ask(message) {
  const { said, lent } = await chrome.runtime.sendMessage(message);
  document.getElementById("said").textContent = said;
  lend.hidden = lent;
  end.hidden = !lent;
  (lent ? end : lend).querySelector("input, button").focus();
}

// `?tab=` names the tab when this page is open in a tab of its own.
async function tabInFront() {
  const named = new URLSearchParams(location.search).get("tab");
  return named ? Number(named) : (await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0].id;
}

tabInFront().then((tab) => {
  lend.addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ wish: "lend", tab, code: document.getElementById("code").value.trim() });
  });
  end.addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ wish: "end", tab });
  });
  return ask({ wish: "look", tab });
});

// Lends one tab to a run of guiagent on this machine: passes its DevTools messages to the run's relay.
//
// The person starts it with the code of the run, and ends it in the popup, in Chrome's own bar, or by closing the tab.

// What the run may ask of the tab. All other domains reach cookies, other tabs or the browser itself.
const DOMAINS = new Set(["Page", "Runtime", "DOM", "Input", "Fetch", "Emulation", "Log", "CSS", "Accessibility"]);
const METHODS = new Set([
  "Network.enable", "Network.disable", "Network.setCacheDisabled", "Target.setAutoAttach", "Target.getTargetInfo",
]);
const CODE = /^(\d{1,5})-([\w-]{16,})$/;

const NEW_TABS = 1; // the number of the rule below
const OPENS = 1000; // milliseconds from the wish of a page to its new tab

let lent = null; // { tab, socket, hosts, others, wished } while a tab is lent

// The page cannot load anything in a new tab: no run sees it, and a form sent there would pass no guard.
// The person's own tabs are the others.
function keepOutOfNewTabs() {
  const rule = { id: NEW_TABS, action: { type: "block" }, condition: { resourceTypes: ["main_frame"] } };
  if (lent?.hosts.size) {
    rule.condition.initiatorDomains = [...lent.hosts];
    rule.condition.excludedTabIds = [...lent.others];
  }
  const addRules = lent?.hosts.size ? [rule] : [];
  return chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [NEW_TABS], addRules });
}

function noteHost(address) {
  const { protocol, hostname } = new URL(address);
  if (!protocol.startsWith("http") || lent.hosts.has(hostname)) return;
  lent.hosts.add(hostname);
  keepOutOfNewTabs();
}

function mark(tab, text) {
  const title = text ? "guiagent uses this tab; click to end it" : "Lend this tab to guiagent";
  chrome.action.setBadgeBackgroundColor({ tabId: tab, color: "#c5221f" }).catch(() => {});
  chrome.action.setBadgeText({ tabId: tab, text }).catch(() => {}); // the tab may be closed
  chrome.action.setTitle({ tabId: tab, title }).catch(() => {});
}

async function end(reason) {
  if (!lent) return;
  const { tab, socket } = lent;
  lent = null;
  mark(tab, "");
  keepOutOfNewTabs();
  socket.close(1000, reason.slice(0, 100));
  await chrome.debugger.detach({ tabId: tab }).catch(() => {}); // Chrome may have done it
}

function open(code) {
  const [, port, token] = CODE.exec(code) ?? [];
  if (!port) return Promise.reject(new Error("This is not a code. Copy the one that the terminal shows."));
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${token}`);
    socket.onopen = () => resolve(socket);
    socket.onerror = () => reject(new Error("No run waits for this code. Start one and copy its code."));
  });
}

async function lend(tab, code) {
  const socket = await open(code);
  await end("you lent another tab");
  try {
    await chrome.debugger.attach({ tabId: tab }, "1.3");
  } catch (error) {
    socket.close(1000, `the tab cannot be lent: ${error.message}`.slice(0, 100));
    throw new Error(`This tab cannot be lent: ${error.message}`);
  }
  const others = new Set((await chrome.tabs.query({})).map((one) => one.id));
  lent = { tab, socket, others, hosts: new Set(), wished: 0 };
  mark(tab, "ON");
  socket.onmessage = ({ data }) => answer(socket, tab, JSON.parse(data));
  socket.onclose = () => lent?.socket === socket && end("");
  const { targetInfo } = await chrome.debugger.sendCommand({ tabId: tab }, "Target.getTargetInfo");
  noteHost(targetInfo.url);
  socket.send(JSON.stringify({ targetInfo, userAgent: navigator.userAgent }));
}

async function answer(socket, tab, { id, session, method, params }) {
  const told = { id };
  try {
    if (!DOMAINS.has(method.split(".")[0]) && !METHODS.has(method)) throw new Error(`${method} is not lent`);
    const place = session ? { tabId: tab, sessionId: session } : { tabId: tab };
    told.result = (await chrome.debugger.sendCommand(place, method, params)) ?? {};
  } catch (error) {
    told.error = messageOf(error);
  }
  if (lent?.socket === socket) socket.send(JSON.stringify(told));
}

// Chrome tells an error of the protocol as JSON in the message of an error.
function messageOf(error) {
  try {
    return JSON.parse(error.message).message;
  } catch {
    return error.message;
  }
}

chrome.debugger.onEvent.addListener((source, method, params) => {
  if (lent?.tab !== source.tabId) return;
  if (method === "Page.frameNavigated") noteHost(params.frame.url);
  if (method === "Page.windowOpen") lent.wished = Date.now();
  lent.socket.send(JSON.stringify({ session: source.sessionId ?? "", method, params }));
});
chrome.debugger.onDetach.addListener((source, reason) => {
  if (lent?.tab === source.tabId) end(reason === "target_closed" ? "you closed the tab" : "you ended it");
});
chrome.tabs.onUpdated.addListener((tab) => lent?.tab === tab && mark(tab, "ON")); // a new page clears the badge
// `openerTabId` names the tab in front, which need not be the lent one.
chrome.tabs.onCreated.addListener(({ id }) => {
  if (!lent) return;
  if (Date.now() - lent.wished < OPENS) {
    lent.wished = 0;
    chrome.tabs.remove(id).catch(() => {});
  } else {
    lent.others.add(id);
    keepOutOfNewTabs();
  }
});
keepOutOfNewTabs(); // a rule of an earlier start of this worker would outlive it
chrome.runtime.onMessage.addListener(({ wish, tab, code }, sender, reply) => {
  const doing = { lend: () => lend(tab, code), end: () => end("you ended it"), look: async () => {} }[wish];
  doing().then(() => "", (error) => error.message).then((said) => reply({ said, lent: lent?.tab === tab }));
  return true; // the reply comes later
});

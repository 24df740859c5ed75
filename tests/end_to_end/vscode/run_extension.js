"use strict";
// Loads the extension with a stand-in for the editor's own module, opens one document, runs the commands given
// as arguments, and prints what a person would see: marks, the output, messages, the panel.

const Module = require("node:module");
const fs = require("node:fs");

const [extension, file, settings, ...commands] = process.argv.slice(2);
const seen = { marks: [], output: "", messages: [], panel: "" };
const handlers = {};
const configured = JSON.parse(settings);

class Range {
  constructor(start, end) { this.start = start; this.end = end; }
}
class Diagnostic {
  constructor(range, message) { this.range = range; this.message = message; }
}
const document = {
  languageId: "guiagent", version: 1, isClosed: false,
  uri: { fsPath: file }, getText: () => fs.readFileSync(file, "utf8"),
  positionAt(index) {
    const before = this.getText().slice(0, index).split("\n");
    return { line: before.length - 1, character: before.at(-1).length };
  },
  lineAt(line) {
    const text = this.getText().split("\n")[line];
    return { range: new Range({ line, character: 0 }, { line, character: text.length }) };
  },
};
let checked;
const firstCheck = new Promise((resolve) => { checked = resolve; });
const vscode = {
  Range, Diagnostic,
  Uri: { file: (path) => ({ fsPath: path }) },
  ViewColumn: { Beside: 2 },
  ProgressLocation: { Notification: 15 },
  languages: {
    createDiagnosticCollection: () => ({
      set: (_, marks) => { seen.marks = marks; checked(); }, delete() {}, dispose() {},
    }),
  },
  commands: { registerCommand: (name, handler) => { handlers[name] = handler; return { dispose() {} }; } },
  workspace: {
    textDocuments: [document],
    onDidOpenTextDocument: () => ({}), onDidChangeTextDocument: () => ({}), onDidCloseTextDocument: () => ({}),
    getConfiguration: () => ({ get: (name) => configured[name] }),
    getWorkspaceFolder: () => undefined,
  },
  window: {
    activeTextEditor: { document },
    createOutputChannel: () => ({ replace: (text) => { seen.output = text; }, show() {}, dispose() {} }),
    showErrorMessage: (text) => seen.messages.push(text),
    withProgress: (_, work) => work({}, { onCancellationRequested() {} }),
    createWebviewPanel: () => ({
      webview: {
        cspSource: "self", asWebviewUri: (uri) => `file://${uri.fsPath}`,
        set html(text) { seen.panel = text; },
      },
    }),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

(async () => {
  require(extension).activate({ subscriptions: [] });
  await firstCheck;
  for (const command of commands) await handlers[command]();
  console.log(JSON.stringify(seen));
})();

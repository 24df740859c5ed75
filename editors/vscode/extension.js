"use strict";
// Marks commands that guiagent does not understand, shows what the others mean, and runs a file with its last
// picture beside the text. All of that is asked of the program; nothing of the language is known here.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const LANGUAGE = "guiagent";
/** Milliseconds without a keystroke after which a text is checked. */
const PAUSE = 400;
/** Milliseconds after which a check is given up. */
const LONGEST_CHECK = 20_000;

function activate(context) {
  const faults = vscode.languages.createDiagnosticCollection(LANGUAGE);
  const meaning = vscode.window.createOutputChannel("guiagent");
  const waiting = new Map();

  const check = async (document) => {
    if (document.languageId !== LANGUAGE) return;
    const version = document.version;
    const read = await explanationOf(document).catch((error) => ({ error }));
    if (document.isClosed || document.version !== version) return;
    faults.set(document.uri, diagnosticsOf(document, read));
  };
  const checkLater = (document) => {
    clearTimeout(waiting.get(document));
    waiting.set(document, setTimeout(() => check(document), PAUSE));
  };
  const forget = (document) => {
    clearTimeout(waiting.get(document));
    waiting.delete(document);
    faults.delete(document.uri);
  };

  context.subscriptions.push(
    faults,
    meaning,
    vscode.workspace.onDidOpenTextDocument(check),
    vscode.workspace.onDidChangeTextDocument((event) => checkLater(event.document)),
    vscode.workspace.onDidCloseTextDocument(forget),
    vscode.commands.registerCommand("guiagent.explain", () => explain(meaning)),
    vscode.commands.registerCommand("guiagent.run", runTask),
  );
  vscode.workspace.textDocuments.forEach(check);
}

/** What the program says that a text means: `lines`, and `position` and `reason` where it stops. */
async function explanationOf(document) {
  const text = document.getText();
  if (!text.trim()) return { lines: [] };
  const { out, errors } = await call(document, ["run", "--file", "-", "--explain", "--json"], text, LONGEST_CHECK);
  try {
    return JSON.parse(out);
  } catch {
    throw new Error(lastLine(errors) || "guiagent answered nothing; is guiagent.program right?");
  }
}

function diagnosticsOf(document, read) {
  if (read.error) return [new vscode.Diagnostic(document.lineAt(0).range, read.error.message)];
  if (!read.reason) return [];
  const text = document.getText();
  const start = document.positionAt(text.length - text.trimStart().length + read.position);
  const range = new vscode.Range(start, document.lineAt(start.line).range.end);
  return [new vscode.Diagnostic(range, read.reason)];
}

async function explain(meaning) {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  try {
    const read = await explanationOf(document);
    meaning.replace(`${read.lines.join("\n")}\n`);
    meaning.show(true);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

async function runTask() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  const settings = vscode.workspace.getConfiguration(LANGUAGE, document.uri);
  const url = settings.get("url");
  const options = [...(url ? ["--url", url] : []), ...settings.get("options")];
  const progress = { location: vscode.ProgressLocation.Notification, title: "guiagent runs the task", cancellable: true };
  await vscode.window.withProgress(progress, async (_, cancelled) => {
    try {
      const asked = ["run", "--file", "-", "--json", "--quiet", ...options];
      const { out, errors } = await call(document, asked, document.getText(), 0, cancelled);
      showResult(JSON.parse(out || "null") || { ending: "failed", reason: lastLine(errors) });
    } catch (error) {
      vscode.window.showErrorMessage(error.message);
    }
  });
}

/** The ending of a run, its values and its last picture, in a panel beside the text. */
function showResult(result) {
  const folder = result.folder || result.trace || "";
  const roots = folder ? [vscode.Uri.file(folder)] : [];
  const panel = vscode.window.createWebviewPanel("guiagent", "guiagent", vscode.ViewColumn.Beside, {
    localResourceRoots: roots,
  });
  const picture = lastPicture(folder);
  const source = panel.webview.cspSource;
  const shown = picture ? panel.webview.asWebviewUri(vscode.Uri.file(picture)) : "";
  const values = Object.entries(result.notes || {}).map(([name, value]) => `<dt>${safe(name)}</dt><dd>${safe(value)}</dd>`);
  panel.webview.html = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src ${source}; style-src 'unsafe-inline'">
<h2>${safe(result.ending)}</h2><p>${safe(result.reason || "")}</p><dl>${values.join("")}</dl>
${shown && `<img src="${shown}" alt="The screen at the end" style="max-width:100%">`}
<p>${folder && `Report: ${safe(path.join(folder, "report.html"))}`}</p>`;
  return panel;
}

function lastPicture(folder) {
  const images = path.join(folder, "images");
  if (!folder || !fs.existsSync(images)) return "";
  const names = fs.readdirSync(images).map((name) => path.join(images, name));
  const newest = (one, other) => fs.statSync(one).mtimeMs - fs.statSync(other).mtimeMs || one.localeCompare(other);
  return names.sort(newest).at(-1) || "";
}

/** Runs the program without a shell, with a text as its input. */
function call(document, args, input, limit, cancelled) {
  const program = vscode.workspace.getConfiguration(LANGUAGE, document.uri).get("program");
  const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath || path.dirname(document.uri.fsPath);
  return new Promise((resolve, reject) => {
    const run = spawn(program, args, { cwd: folder, shell: false, timeout: limit });
    let out = "";
    let errors = "";
    run.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    run.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    run.on("error", () => reject(new Error(`${program} cannot be started; install guiagent, or set guiagent.program`)));
    run.on("close", () => resolve({ out, errors }));
    run.stdin.on("error", () => {}); // the program may end before it has read all
    run.stdin.end(input);
    cancelled?.onCancellationRequested(() => run.kill("SIGINT")); // as Ctrl+C: the run ends and keeps its trace
  });
}

const lastLine = (text) => text.trim().split("\n").at(-1);

function safe(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text).replace(/[&<>"]/g, (sign) => signs[sign]);
}

module.exports = { activate };

// The main process: a window, and the utility process that has the engine. It passes words between the two.
import { app, BrowserWindow, ipcMain, utilityProcess } from "electron";
import { fileURLToPath } from "node:url";

const fileOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

async function open() {
  const model = process.env["MODEL"]; // without one: the bundled model
  const engine = utilityProcess.fork(fileOf("engine.mjs"), model === undefined ? [] : [model]);
  const window = new BrowserWindow({
    width: 720,
    height: 480,
    webPreferences: { preload: fileOf("preload.cjs"), contextIsolation: true, sandbox: true },
  });
  const tell = (/** @type {unknown} */ message) => {
    if (!window.isDestroyed()) window.webContents.send("said", message);
  };
  ipcMain.on("ask", (_event, /** @type {unknown} */ prompt) => {
    if (typeof prompt === "string") engine.postMessage({ type: "ask", prompt });
  });
  ipcMain.on("stop", () => engine.postMessage({ type: "stop" }));
  engine.on("message", tell);
  engine.on("exit", (code) => tell({ type: "ended", text: `the engine ended with ${code}` }));
  await window.loadFile(fileOf("index.html"));
}

app.on("window-all-closed", () => app.quit());
// Must not be awaited here: Electron becomes ready after this module has been evaluated.
void app.whenReady().then(open);

// The page's only way to the main process: two messages out, one in.
const { contextBridge, ipcRenderer } = require("electron");

contextBridge.exposeInMainWorld("engine", {
  ask: (/** @type {string} */ prompt) => ipcRenderer.send("ask", prompt),
  stop: () => ipcRenderer.send("stop"),
  onSaid: (/** @type {(message: { type: string, text: string }) => void} */ listener) =>
    ipcRenderer.on("said", (_event, message) => listener(message)),
});

// Runs cleanup when a signal ends the process, such as the closing of the terminal. Node emits no "exit" event then.
// Must not: handle a signal that other code handles.
import { endBy, endSignals } from "../../base/platform-process.js";

const undoing = new Set<() => void>();

/** Calls `undo` before such a signal ends the process. The returned function cancels this. */
export function onSignalExit(undo: () => void): () => void {
  if (undoing.size === 0)
    for (const signal of endSignals) if (process.listenerCount(signal) === 0) process.once(signal, end);
  undoing.add(undo);
  return () => {
    undoing.delete(undo);
    if (undoing.size === 0) for (const signal of endSignals) process.off(signal, end);
  };
}

function end(signal: NodeJS.Signals): void {
  for (const undo of undoing) undo();
  endBy(signal);
}

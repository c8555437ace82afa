// What is undone when a signal ends the process, which has no "exit" then: a terminal that is closed, for one.
// Must not: heed a signal that somebody else does.

const signals = ["SIGHUP", "SIGTERM"] as const;
const undoing = new Set<() => void>();

/** Calls `undo` before such a signal ends the process. What is given takes that back. */
export function onSignalExit(undo: () => void): () => void {
  if (undoing.size === 0)
    for (const signal of signals) if (process.listenerCount(signal) === 0) process.once(signal, end);
  undoing.add(undo);
  return () => {
    undoing.delete(undo);
    if (undoing.size === 0) for (const signal of signals) process.off(signal, end);
  };
}

function end(signal: NodeJS.Signals): void {
  for (const undo of undoing) undo();
  process.kill(process.pid, signal); // its handler is gone: it ends the process now
}

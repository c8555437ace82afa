// The end of the process when the command has done its work. Must not: cut off what the command itself still writes.

/** What a hook has begun and nobody awaits, a line for a log server, mostly needs no more. */
const graceMs = 1000;

/** The process ends in a moment also if a file of hooks or tools has left a timer, a server or a connection open. */
export function endSoon(): void {
  const end = (): void => {
    process.stderr.write("ended; a file of hooks or tools has left something open: a timer, a server, a connection\n");
    process.stdout.write("", () => process.exit());
  };
  setTimeout(end, graceMs).unref();
}

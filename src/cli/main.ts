#!/usr/bin/env node
// The entry of the command line: parses the arguments, runs the command, and sets the exit code.
import { CommanderError } from "commander";
import { errorLine, failureOf, failureText } from "./process/error-text.js";
import { exitCodes, UsageError } from "./process/exit.js";
import { sanitize } from "./process/sanitize.js";
import { watchOutput } from "./process/output.js";
import { program } from "./program.js";

async function main(): Promise<void> {
  watchOutput();
  try {
    await program((code) => (process.exitCode = code)).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      return;
    }
    const isUsage = error instanceof UsageError || error instanceof TypeError;
    process.stderr.write(`${isUsage ? errorLine(sanitize(error.message)) : failureText(failureOf(error))}\n`);
    process.exitCode = isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** The time for work that a hook has started and no code awaits, such as a line for a log server. */
const graceMs = 1000;

/**
 * Ends the process soon after the command has ended, even if a file of hooks or tools has left a timer, a server or a
 * connection open. The command's own output is written to its end.
 */
function endSoon(): void {
  const end = (): void => {
    process.stderr.write(
      "ended, although a file of hooks or tools left something open: a timer, a server, a connection\n",
    );
    process.stdout.write("", () => process.exit());
  };
  setTimeout(end, graceMs).unref();
}

void main().finally(endSoon);

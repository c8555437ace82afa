#!/usr/bin/env node
// The entry of the command line: parses the arguments, runs the command, and sets the exit code.
import { CommanderError } from "commander";
import { errorLine, type Failure, failureOf, failureText } from "./process/error-text.js";
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
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${isUsage ? errorLine(sanitize(error.message)) : failureText(reported(error))}\n`);
    process.exitCode = isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** A `TypeError` that no file of the user has thrown comes from a defect: its stack says where. */
function reported(error: unknown): Failure {
  const failure = failureOf(error);
  if (!(error instanceof TypeError)) return failure;
  const frames = String(error.stack)
    .split("\n")
    .filter((line) => /^ +at /.test(line));
  return { ...failure, message: `TypeError: ${error.message}`, where: frames.join("\n") };
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

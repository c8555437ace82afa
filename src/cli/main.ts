#!/usr/bin/env node
// The command line: arguments in, exit code out. Must not: do the work; each command has a file.
import { CommanderError } from "commander";
import { endSoon } from "./end.js";
import { errorLine, failureOf, failureText } from "./error-text.js";
import { exitCodes } from "./exit-codes.js";
import { harmless } from "./harmless.js";
import { watchOutput } from "./output.js";
import { program } from "./program.js";
import { UsageError } from "./usage-error.js";

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
    process.stderr.write(`${isUsage ? harmless(errorLine(error.message)) : failureText(failureOf(error))}\n`);
    process.exitCode = isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

void main().finally(endSoon);

#!/usr/bin/env node
// The command line: arguments in, exit code out. Must not: do the work; each command has a file.
import { CommanderError } from "commander";
import { messageOf } from "../base/thrown.js";
import { endSoon } from "./end.js";
import { errorLine } from "./error-text.js";
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
    process.stderr.write(`${errorLine(harmless(messageOf(error)))}\n`);
    process.exitCode = error instanceof UsageError || error instanceof TypeError ? exitCodes.usage : exitCodes.failed;
  }
}

void main().finally(endSoon);

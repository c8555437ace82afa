#!/usr/bin/env node
// The command line: arguments and exit codes. Must not: do the work; each command has a file.
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Gpu } from "../index.js";
import { hooksTable } from "./hooks-command.js";
import { exitCodes, run, type RunOptions } from "./run-command.js";
import { UsageError } from "./usage-error.js";

const exits = `
Exit codes: 0 ok (a hook's cancel or halt is an ordinary end), 1 failed, 2 wrong usage, 130 interrupted.
`;

function program(setCode: (code: number) => void): Command {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const main = new Command("llama-hooks")
    .description("Run local GGUF models with hooks at every step.")
    .version(version)
    .exitOverride();
  main
    .command("run")
    .description("One run: a prompt, the model's answer, its tool calls, and what hooks make of them.")
    .option("--model <path>", 'GGUF file, or "hf:user/repo:quant" (default: the bundled model)')
    .option("--prompt <text>", "what to ask")
    .option("--system <text>", "system prompt")
    .option("--trace", "show each decision of hooks as it is made")
    .option("--json", "one JSON object a line, on stdout only")
    .addOption(list("--hooks <file>", "module that exports hook sets or functions (engine) => void; repeatable"))
    .addOption(list("--native <library:symbol@point>", "hook from a shared library; repeatable"))
    .option("--max-tokens <n>", "tokens a model call writes at most", integer(1))
    .option("--temperature <t>", "0 always takes the likeliest token", number)
    .option("--seed <n>", "for the same text again", integer(0))
    .addOption(
      new Option("--gpu <backend>", "what computes").choices(["auto", "cuda", "vulkan", "off"]).default("auto"),
    )
    .option("--context-size <n>", "tokens a conversation can hold", integer(0))
    .option("--demo", "the bundled model with the demonstration's hooks, traced")
    .option(
      "--no-tools",
      "do not offer the demonstration tools (calculator, read_file; weather with the bundled model)",
    )
    .addHelpText("after", exits)
    .action(async (options: Omit<RunOptions, "gpu"> & { gpu: string }) => {
      const gpu = options.gpu === "off" ? false : (options.gpu as Gpu);
      setCode(await run({ ...options, gpu }));
    });
  main
    .command("hooks")
    .description("The table of hook points: number, name, kind, payload, what answers do.")
    .option("--json", "one JSON object a line")
    .action(({ json }: { json?: boolean }) => {
      process.stdout.write(`${hooksTable(json === true)}\n`);
    });
  return main;
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function list(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect).default([], "none");
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError("It must be a number of at least 0.");
  return value;
}

function integer(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) {
      throw new InvalidArgumentError(`It must be an integer of at least ${min}.`);
    }
    return value;
  };
}

async function main(): Promise<void> {
  try {
    await program((code) => (process.exitCode = code)).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      return;
    }
    process.stderr.write(`llama-hooks: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof UsageError || error instanceof TypeError ? exitCodes.usage : exitCodes.failed;
  }
}

void main();

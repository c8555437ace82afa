#!/usr/bin/env node
// The command line: arguments and exit codes. Must not: do the work; each command has a file.
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { shapeNames } from "../bench/job.js";
import { ownPackageJson } from "../bench/package-json.js";
import type { Gpu } from "../index.js";
import type { BenchOptions } from "./bench-command.js";
import { build, type BuildOptions } from "./build-command.js";
import { hooksTable } from "./hooks-command.js";
import { doctor } from "./doctor-command.js";
import { exitCodes } from "./exit-codes.js";
import { watchStdout } from "./interrupt.js";
import { listModels, pull, removeModel } from "./models-command.js";
import { run, type RunOptions } from "./run-command.js";
import { UsageError } from "./usage-error.js";

const exits = `
Exit codes: 0 ok (a hook's cancel or halt is an ordinary end), 1 failed, 2 wrong usage, 130 interrupted.
`;

const benchNotes = `
Each measurement is a process of its own and contenders take turns. Ratios are
taken within a round; their median is shown. Leave the machine alone meanwhile.
The defaults take one to two minutes on two cores, with --compare about three.
`;

function program(setCode: (code: number) => void): Command {
  const main = new Command("llama-hooks")
    .description("Run local GGUF models with hooks at every step.")
    .version(ownPackageJson().version)
    .exitOverride();
  main
    .command("run")
    .description("One agent run: a prompt, the model's tool calls and answer, and what hooks make of them.")
    .option("--model <path>", 'GGUF file, or "hf:user/repo:quant" (default: the bundled model)')
    .option("--prompt <text>", "what to ask")
    .option("--system <text>", "system prompt")
    .option("--session <file>", "module whose default export has options of the session: tiers, rules, control tools")
    .option("--trace", "show each decision of hooks as it is made")
    .option("--json", "one JSON object a line, on stdout only")
    .addOption(list("--hooks <file>", "module that exports hook sets or functions (engine) => void; repeatable"))
    .addOption(list("--native <library:symbol@point>", "hook from a shared library; repeatable"))
    .option("--max-tokens <n>", "tokens a model call writes at most", integer(1))
    .option("--temperature <t>", "0 always takes the likeliest token", number)
    .option("--seed <n>", "for the same text again", integer(0))
    .addOption(gpuOption())
    .option("--context-size <n>", "tokens a conversation can hold", integer(0))
    .option("--demo", "the bundled model with the demonstration's hooks, traced")
    .addOption(
      new Option(
        "--tools <file>",
        "module that exports tools, in place of the demonstration's (calculator, read_file; weather with the bundled model); repeatable",
      )
        .argParser((value: string, before: unknown) => collect(value, Array.isArray(before) ? before : []))
        .default(true, "the demonstration's"),
    )
    .option("--no-tools", "offer no tools")
    .addHelpText("after", exits)
    .action(async (options: RunOptions) => setCode(await run(options)));
  main
    .command("hooks")
    .description("The table of hook points: number, name, kind, payload, what answers do.")
    .option("--json", "one JSON object a line")
    .action(({ json }: { json?: boolean }) => {
      process.stdout.write(`${hooksTable(json === true)}\n`);
    });
  main
    .command("pull")
    .description("Fetch a model into the cache, and print where it lies.")
    .argument("<name>", '"hf:user/repo:quant", "hf:user/repo/file.gguf" or an address')
    .addHelpText("after", exits)
    .action(async (name: string) => setCode(await pull(name)));
  const models = main
    .command("models")
    .description("The fetched models: name, size, architecture, context.")
    .option("--json", "one JSON object a line")
    .action(async ({ json }: { json?: boolean }) => setCode(await listModels(json === true)));
  models
    .command("rm")
    .description("Remove a fetched model.")
    .argument("<name>", "as it was fetched")
    .action(async (name: string) => setCode(await removeModel(name)));
  main
    .command("doctor")
    .description("What this machine gives an engine, and what is wrong with it. Exit code 1 if something is.")
    .option("--json", "one JSON object")
    .action(async ({ json }: { json?: boolean }) => setCode(await doctor(json === true)));
  main
    .command("build")
    .description("Build the addon here, where there is no prebuilt one. Needs CMake, a C++20 compiler and git.")
    .option("--llama", "build llama.cpp, too, in place of the prebuilt libraries")
    .option("--verbose", "show what the compiler says")
    .action(async (options: BuildOptions) => setCode(await build(options)));
  main
    .command("bench")
    .description("What hooks cost on this machine: the same model with and without them, taking turns.")
    .option("--model <path>", 'GGUF file, or "hf:user/repo:quant"')
    .addOption(
      new Option(
        "--synthetic <shape>",
        "random weights in a known shape, when no --model is given (default: 0.5b)",
      ).choices(shapeNames),
    )
    .option("--tokens <n>", "tokens that each generation writes", integer(2), 128)
    .option("--threads <n>", "0: as many as the model is worth", integer(0), 0)
    .option("--rounds <n>", "measurements of each contender", integer(1), 5)
    .addOption(gpuOption())
    .option("--compare", "measure node-llama-cpp as well")
    .option("--json [file]", "write the results there, or to stdout in place of the table")
    .option("--html <file>", "write them as one page with charts")
    .addHelpText("after", benchNotes + exits)
    .action(async (options: BenchOptions) => {
      const { bench } = await import("./bench-command.js");
      setCode(await bench(options));
    });
  return main;
}

const gpus: Readonly<Record<string, Gpu>> = { auto: "auto", cuda: "cuda", vulkan: "vulkan", off: false };

function gpuOption(): Option {
  const names = Object.keys(gpus).join(", ");
  return new Option("--gpu <backend>", `what computes: ${names}`)
    .argParser((text): Gpu => {
      const gpu = Object.hasOwn(gpus, text) ? gpus[text] : undefined;
      if (gpu === undefined) throw new InvalidArgumentError(`Allowed choices are ${names}.`);
      return gpu;
    })
    .default("auto");
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
  watchStdout();
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

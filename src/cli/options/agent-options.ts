// The options of run and chat, the commands that run an agent.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { EngineOptions, Gpu, LoadOptions, SamplingOptions } from "../../index.js";
import { contractOptions, givenOptions } from "./contract-options.js";
import { addInspectOptions, type InspectOptions } from "./inspect-options.js";
import { type McpServer, mcpOption } from "./mcp-option.js";
import { file, filePath, files } from "./option-parsers.js";
import { UsageError } from "../process/exit.js";

type LogLevel = NonNullable<EngineOptions["logLevel"]>;

export interface AgentOptions extends LoadOptions, SamplingOptions, InspectOptions {
  readonly model?: string;
  readonly allowHttp?: boolean;
  readonly system?: string;
  /** The file with session options. */
  readonly session?: string;
  readonly trace?: boolean;
  readonly traceFile?: string;
  readonly hooks: readonly string[];
  readonly native: readonly string[];
  readonly gpu: Gpu;
  readonly logLevel?: LogLevel;
  /** Files of tools, or {@link demoWord}; false for none. Undefined: the model decides. */
  readonly tools?: readonly string[] | false;
  readonly mcp: readonly McpServer[];
}

const loadOptions = contractOptions("load_params", ["threads", "gpuLayers", "contextSize"]);
const samplingOptions = contractOptions("generate_params");
/** The word that selects the demonstration's tools instead of a file. */
export const demoWord = "demo";

const logLevels = ["none", "error", "warn", "info", "debug"] as const satisfies readonly LogLevel[];
const gpus: Readonly<Record<string, Gpu>> = {
  auto: "auto",
  cuda: "cuda",
  metal: "metal",
  vulkan: "vulkan",
  off: false,
};

export function addAgentOptions(command: Command): Command {
  command
    .addOption(file("--model <path>", 'GGUF file, or "hf:user/repo:quant" (default: the bundled model)'))
    .addOption(allowHttpOption())
    .option("--system <text>", "system prompt")
    .addOption(toolsOption("default: demo with the bundled model, no tools with another"))
    .option("--no-tools", "offer no tools")
    .addOption(mcpOption())
    .addOption(sessionOption())
    .addOption(files("--hooks <file>", "module that exports hook sets, or a function (engine) => void as default"))
    .addOption(files("--native <library:symbol@point>", "hook from a shared library"))
    .option("--trace", "show each decision of hooks as it is made")
    .addOption(file("--trace-file <file>", "write a trace of the run for Perfetto, speedscope or DevTools"));
  addInspectOptions(command).addOption(gpuOption());
  for (const option of loadOptions) command.addOption(option);
  command.addOption(logLevelOption());
  for (const option of samplingOptions)
    command.addOption(option.helpGroup("Sampling (the bundled model: temperature 0):"));
  return command;
}

export function allowHttpOption(): Option {
  return new Option("--allow-http", "also download by plain HTTP, which anyone on the network can read and change");
}

export function logLevelOption(): Option {
  return new Option(
    "--log-level <level>",
    "log lines that go to stderr: this level and more severe ones (default: none)",
  ).choices(logLevels);
}

export function gpuOption(): Option {
  const names = Object.keys(gpus);
  return new Option("--gpu <backend>", "backend that computes")
    .choices(names)
    .argParser((text): Gpu => {
      const gpu = Object.hasOwn(gpus, text) ? gpus[text] : undefined;
      if (gpu === undefined) throw new InvalidArgumentError(`Allowed choices are ${names.join(", ")}.`);
      return gpu;
    })
    .default("auto");
}

export function sessionOption(): Option {
  return file(
    "--session <file>",
    "module whose default export has options of the session: tiers, rules, control tools",
  );
}

/** `usual`: what happens without the option. */
export function toolsOption(usual: string): Option {
  return new Option(
    "--tools <file>",
    `module that exports tools, or the word ${demoWord} for calculator, weather (invented) and read_file (of a folder of examples); repeatable (${usual})`,
  ).argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), filePath(value)]);
}

/** The options about loading a model that were given. */
export function loadOptionsOf(options: AgentOptions): LoadOptions {
  return givenOptions(loadOptions, options);
}

export function samplingOptionsOf(options: AgentOptions): SamplingOptions {
  return givenOptions(samplingOptions, options);
}

/** The names of the sampling parameters on the command line, without the dashes. */
export const samplingNames: readonly string[] = samplingOptions.map((option) => option.name());

interface SamplingOption {
  readonly name: string;
  /** The name in TypeScript. */
  readonly attribute: string;
  parse(text: string): string | number;
}

/** Finds a sampling parameter by name. Both this function and `parse` throw UsageError. */
export function samplingOption(name: string): SamplingOption {
  const option = samplingOptions.find((one) => one.name() === name || one.attributeName() === name);
  if (option === undefined) throw new UsageError(`unknown sampling parameter ${name}; /set lists them`);
  const parse = (text: string): string | number => {
    try {
      return (option.parseArg?.(text, undefined) ?? text) as string | number;
    } catch (error) {
      throw error instanceof InvalidArgumentError ? new UsageError(`${option.name()}: ${error.message}`) : error;
    }
  };
  return { name: option.name(), attribute: option.attributeName(), parse };
}

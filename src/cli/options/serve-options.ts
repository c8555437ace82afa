// The options of serve: models and how they are loaded, hooks, and the server.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { LoadOptions } from "../../index.js";
import {
  type AgentOptions,
  allowHttpOption,
  gpuOption,
  logLevelOption,
  sessionOption,
  toolsOption,
} from "./agent-options.js";
import { contractOptions, givenOptions } from "./contract-options.js";
import { addInspectOptions, type InspectOptions } from "./inspect-options.js";
import { mcpOption } from "./mcp-option.js";
import { file, filePath, files, integer, name } from "./option-parsers.js";

export interface ServeOptions
  extends
    LoadOptions,
    InspectOptions,
    Pick<AgentOptions, "allowHttp" | "hooks" | "native" | "gpu" | "logLevel" | "system" | "session" | "mcp"> {
  readonly host: string;
  readonly port: number;
  /** The file with API keys. */
  readonly apiKeyFile?: string;
  readonly alias: Readonly<Record<string, string>>;
  /** Writes a line for each request to stdout. */
  readonly log?: boolean;
  readonly maxConcurrent?: number;
  /** Seconds. */
  readonly grace: number;
  /** Files of tools, or the word of the demonstration. Undefined: none. */
  readonly tools?: readonly string[];
  /** The folder in which sessions are kept. */
  readonly sessionStore?: string;
}

/** A model of the server: its id and the path that the user named. */
export interface ServedModel {
  readonly id: string;
  readonly path: string;
}

const loadOptions = contractOptions("load_params", ["threads", "gpuLayers", "contextSize", "parallel"]);

export function addServeOptions(command: Command): Command {
  command
    .argument(
      "[models...]",
      'GGUF files, or names such as "hf:user/repo:quant"; id=model gives a model its id (default: the bundled model)',
      (text: string, before: readonly ServedModel[] | undefined) => [...(before ?? []), servedModel(text)],
    )
    .option(
      "--host <address>",
      "address to listen at; another than this machine's own needs API keys",
      name,
      "127.0.0.1",
    )
    .option("--port <n>", "port to listen at; 0: a free one", integer(0, 65_535), 8080)
    .addOption(file("--api-key-file <file>", "API keys, one a line: a name and a key, or a key"))
    .addOption(
      new Option("--alias <name=id>", 'another name of a model; "*" for every other name; repeatable')
        .argParser(alias)
        .default({}, "none"),
    )
    .option("--log", "one JSON object per request, on stdout")
    .option("--max-concurrent <n>", "most requests at once", integer(1, 2 ** 31 - 1))
    .option("--grace <seconds>", "time in which requests may end after SIGTERM or ctrl-C", integer(0), 30)
    .addOption(toolsOption("turns on /sessions, as --mcp, --session and --system do"))
    .addOption(mcpOption())
    .addOption(sessionOption())
    .option("--system <text>", "system prompt of sessions")
    .addOption(file("--session-store <folder>", "keeps sessions, so that they go on after a restart"))
    .addOption(allowHttpOption())
    .addOption(files("--hooks <file>", "module that exports hook sets, or a function (engine) => void as default"))
    .addOption(files("--native <library:symbol@point>", "hook from a shared library"));
  addInspectOptions(command).addOption(gpuOption());
  for (const option of loadOptions) command.addOption(option);
  return command.addOption(logLevelOption());
}

/** The options about loading a model that were given. */
export function serveLoadOptionsOf(options: ServeOptions): LoadOptions {
  return givenOptions(loadOptions, options);
}

/** `qwen=models/q.gguf` has an id; otherwise it is the name of the file without `.gguf`, or the name to download. */
function servedModel(text: string): ServedModel {
  const [, id, named = text] = /^([\w.:-]+)=(.+)$/.exec(text) ?? [];
  const path = filePath(named);
  const isFile = !/^(?:hf:|https?:)/.test(path);
  const modelId = id ?? (isFile ? path.replace(/^.*[\\/]/, "").replace(/\.gguf$/, "") : path);
  if (modelId === "") throw new InvalidArgumentError("It has no name: give the model an id, id=model.");
  return { id: modelId, path };
}

function alias(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, other, id] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (other === undefined || id === undefined) throw new InvalidArgumentError("It must be of the form name=id.");
  return { ...before, [other]: id };
}

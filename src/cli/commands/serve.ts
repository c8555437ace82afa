// `llama-hooks serve`: serves models over the OpenAI-compatible protocol until a signal ends it.
import { stopSignals } from "../../base/platform-process.js";
import { unlessAborted } from "../../base/unless-aborted.js";
import {
  bundledModel,
  createEngine,
  type Engine,
  type SessionOptions,
  type SessionTool,
  warnOfUnfired,
} from "../../index.js";
import { type KeyOptions, type RequestRecord, serve, type ServedSessions } from "../../server/index.js";
import { type AgentFiles, readAgentFiles } from "../agent/agent-files.js";
import { type Inspection, openInspection } from "../agent/inspection.js";
import { keyVariable, readKeys } from "../load/api-keys.js";
import { McpServers } from "../mcp/mcp-servers.js";
import { type ServedModel, type ServeOptions, serveLoadOptionsOf } from "../options/serve-options.js";
import { type Failure, failureOf, failureText } from "../process/error-text.js";
import { exitCodes, UsageError } from "../process/exit.js";
import { interruptible } from "../process/interrupt.js";
import { reportWarnings } from "../process/output.js";
import { jsonLine } from "../process/json-line.js";
import { sanitize, sanitizeName } from "../process/sanitize.js";
import { Terminal } from "../process/terminal.js";
import { downloadView } from "../view/download-view.js";
import { isOwnHook } from "../view/own-hooks.js";

/** Runs the command and returns its exit code. A signal ends it in order: 0, or 130 while models are loaded. */
export async function serveModels(given: readonly ServedModel[], options: ServeOptions): Promise<number> {
  const models = given.length === 0 ? [{ id: "tiny-agent", path: bundledModel }] : given;
  const twice = models.find(({ id }, index) => models.slice(0, index).some((other) => other.id === id));
  if (twice !== undefined) throw new UsageError(`two models have the id ${twice.id}: give one another, id=model`);
  const keys = await readKeys(options.apiKeyFile);
  // serve() refuses this, too, but only after the models have been loaded.
  if (keys.length === 0 && !/^(?:localhost|127\.0\.0\.1|::1)$/.test(options.host))
    throw new UsageError(`--host ${options.host} needs API keys: --api-key-file or ${keyVariable}`);
  const files = await readAgentFiles(options);
  return interruptible(async (signal) => {
    try {
      return await serveUntil(signal, models, keys, files, options);
    } catch (error) {
      if (!signal.aborted) throw error;
      return exitCodes.interrupted;
    }
  }, stopSignals);
}

async function serveUntil(
  signal: AbortSignal,
  models: readonly ServedModel[],
  keys: readonly KeyOptions[],
  files: AgentFiles,
  options: ServeOptions,
): Promise<number> {
  const { gpu, logLevel, allowHttp, host, port, alias: aliases, log, maxConcurrent, grace } = options;
  const terminal = new Terminal();
  reportWarnings((warning) => warn(terminal, warning));
  const engine = await createEngine({
    models: {},
    gpu,
    ...(logLevel !== undefined && { logLevel }),
    ...(allowHttp !== undefined && { allowHttp }),
    ...(options.sessionStore !== undefined && { sessionStore: options.sessionStore }),
  });
  let inspection: Inspection | undefined;
  let mcp: McpServers | undefined;
  try {
    const asks = agentOptions(options).length > 0 ? terminal.note.bind(terminal) : undefined;
    inspection = await openInspection(engine, options, asks);
    mcp = await McpServers.start(options.mcp, { signal, report: (problem) => terminal.note(sanitize(problem)) });
    const agents = await sessionsOf(engine, models, files, mcp.tools, options);
    const sessions = agents && { ...agents, ...(inspection?.questions && { questions: inspection.questions }) };
    for (const add of files.hooks) await unlessAborted(add(engine), signal);
    if (sessions === undefined) warnOfUnfired(engine.hooks, "generation", (name) => !isOwnHook({ name }));
    await load(engine, models, options, terminal, signal);
    const server = await serve(engine, {
      host,
      port,
      aliases,
      ...(sessions !== undefined && { sessions }),
      ...(keys.length > 0 && { keys }),
      ...(maxConcurrent !== undefined && { maxRequests: maxConcurrent }),
      ...(log === true && { onRequest: (record) => terminal.result(logLine(record)) }),
    });
    const ids = models.map(({ id }) => sanitizeName(id)).join(", ");
    terminal.note(`serving ${ids} at ${server.url}; ctrl-C ends it`);
    await aborted(signal);
    await server.close(grace * 1000);
    return exitCodes.ok;
  } finally {
    await engine.close();
    await mcp?.close();
    await inspection?.inspector.close();
  }
}

function warn(terminal: Terminal, warning: string | Failure): void {
  if (typeof warning === "string") return terminal.note(sanitize(warning));
  terminal.note(failureText(warning));
  if (warning.code === "POINT_NOT_FIRED")
    terminal.note(
      "clients of /v1 run their own tools and loops; agents run here with --tools, --mcp, --session or --system",
    );
}

/** The options that ask for agents. */
function agentOptions({ tools = [], mcp, session, system }: ServeOptions): string[] {
  return [
    ...tools.map((file) => `--tools ${file}`),
    ...mcp.map(({ text }) => `--mcp ${text}`),
    ...(session === undefined ? [] : [`--session ${session}`]),
    ...(system === undefined ? [] : ["--system"]),
  ];
}

/**
 * An agent for each model, with the tools and the session of the options; undefined: no option asks for sessions. A
 * session is opened on trial, so that invalid options fail at once. Errors: UsageError.
 */
async function sessionsOf(
  engine: Engine,
  models: readonly ServedModel[],
  { session, tools = [] }: AgentFiles,
  mcpTools: readonly SessionTool[],
  options: ServeOptions,
): Promise<ServedSessions | undefined> {
  const { system, sessionStore } = options;
  const given = agentOptions(options);
  if (given.length === 0 && sessionStore === undefined) return undefined;
  if (given.length === 0) throw new UsageError("--session-store needs --tools, --mcp, --session or --system");
  const agentOf = (model: string): SessionOptions => ({
    ...session,
    model,
    ...(system !== undefined && { system }),
    tools: [...(session.tools ?? []), ...tools, ...mcpTools],
  });
  const [first] = models;
  try {
    await engine.session(agentOf(first?.id ?? "")).close();
  } catch (error) {
    throw error instanceof Error ? new UsageError(`${given.join(", ")}: ${error.message}`) : error;
  }
  return { agents: Object.fromEntries(models.map(({ id }) => [id, agentOf(id)])), stored: sessionStore !== undefined };
}

async function load(
  engine: Engine,
  models: readonly ServedModel[],
  options: ServeOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const onDownload = downloadView(terminal);
  for (const { id, path } of models) {
    const onProgress = (progress: number): void =>
      terminal.progress(`loading ${sanitizeName(id)}: ${Math.floor(progress * 100)} %`);
    await engine.models.load(id, { path, ...serveLoadOptionsOf(options) }, { signal, onProgress, onDownload });
  }
}

function logLine({ error, ...record }: RequestRecord): string {
  return jsonLine({ ...record, ...(error !== undefined && { error: failureOf(error) }) });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

// Shows an engine, or saved files, in a page on 127.0.0.1.
import { calledAt } from "../base/call-site.js";
import { wrong } from "../base/check.js";
import type { Engine } from "../index.js";
import { startListening } from "../server/http/listen.js";
import { Assets } from "./http/assets.js";
import { openFile } from "./http/files.js";
import { Routes } from "./http/routes.js";
import { TokenCheck } from "./http/token.js";
import {
  type CheckedInspect,
  checkFilesOptions,
  checkInspectOptions,
  type InspectFilesOptions,
  type InspectOptions,
} from "./options.js";
import { EngineRecord } from "./record/record.js";

/** An inspector that listens. */
export interface Inspector extends AsyncDisposable {
  /** The address of the page, with the token behind `#`. A person who has the address can see the engine's work. */
  readonly url: string;
  /** The port on 127.0.0.1. */
  readonly port: number;
  /**
   * Sends what is queued for the pages, closes their connections and stops listening. Open pages keep what they show.
   * The engine stays open. A second call returns the same promise.
   */
  close(): Promise<void>;
}

/** Milliseconds in which pages may take the last events. */
const lastEventsMs = 2000;

/**
 * Shows an engine in a page: its runs, the decisions of its hooks, its memory, and the latest events from before the
 * page was opened. It adds observers to the engine's hooks unless `values` is "none". Open it right after the engine,
 * because it records only later events.
 * Misuse throws `TypeError`. Rejects with NOT_FOUND if a file cannot be read, and with the error of the system if it
 * cannot listen.
 *
 * @example
 * ```ts
 * const list = questions();
 * engine.hooks.use(list.hooks);
 * const inspector = await inspect(engine, { questions: list });
 * console.log(inspector.url);
 * ```
 */
export function inspect(engine: Engine, options?: InspectOptions): Promise<Inspector> {
  return calledAt(inspect, () => openEngine(engine, options));
}

async function openEngine(engine: Engine, options?: InspectOptions): Promise<Inspector> {
  if (typeof (engine as Partial<Engine> | null | undefined)?.trace !== "function")
    throw wrong("The engine of inspect()", "an engine of createEngine()", engine);
  const checked = checkInspectOptions(options, "inspect() options");
  return await open(checked, checked.files, engine);
}

/**
 * Shows saved traces (of `--trace-file` or `traceEvents()`) and recordings in a page, without an engine.
 * Misuse throws `TypeError`. Rejects with NOT_FOUND if a file cannot be read, and with the error of the system if it
 * cannot listen.
 *
 * @example
 * ```ts
 * const inspector = await inspectFiles(["trace.json", "recording.json"]);
 * console.log(inspector.url);
 * ```
 */
export function inspectFiles(files: readonly string[], options?: InspectFilesOptions): Promise<Inspector> {
  return calledAt(inspectFiles, () => openFiles(files, options));
}

async function openFiles(files: readonly string[], options?: InspectFilesOptions): Promise<Inspector> {
  if (!Array.isArray(files) || !files.every((file) => typeof file === "string"))
    throw wrong("The files of inspectFiles()", "an array of paths", files);
  return await open(checkFilesOptions(options, "inspectFiles() options"), files as readonly string[]);
}

async function open(options: CheckedInspect, paths: readonly string[], engine?: Engine): Promise<Inspector> {
  const files = await Promise.all(paths.map(openFile));
  const record = engine && new EngineRecord(engine, options);
  const title = engine === undefined ? "Saved files" : "Running engine";
  const { questions, token } = options;
  const shown = { files, title, ...(record && { record }), ...(questions && { questions }) };
  const routes = new Routes(shown, new Assets(), new TokenCheck(token));
  const bounds = { host: "127.0.0.1", port: options.port, bodyTimeoutMs: 10_000, drainTimeoutMs: 30_000 };
  const listener = await startListening(bounds, routes.answer).catch(async (error: unknown) => {
    await record?.stop();
    throw error;
  });
  const listening = questions?.on(() => record?.history.push({ type: "questions" }));
  const end = async (): Promise<void> => {
    listening?.dispose();
    await record?.stop();
    const late = setTimeout(() => routes.stop(), lastEventsMs);
    await listener.close(() => routes.ended());
    clearTimeout(late);
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  return {
    url: `${listener.origin}/#${token}`,
    port: listener.port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

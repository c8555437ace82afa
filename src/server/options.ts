// The options of a server and their checks.
import {
  checkObject,
  isObject,
  optionalBoolean,
  optionalFunction,
  optionalInteger,
  optionalName,
  optionError,
  requiredString,
  wrong,
} from "../base/check.js";
import { defineHooks, findPoint, firesIn, type HookSet, type HookSets } from "../index.js";
import type { Aliases } from "./endpoints/model-names.js";
import type { BodyLimits } from "./http/body.js";
import type { KeyOptions } from "./http/callers.js";
import { isLoopback } from "./http/host.js";
import type { Amounts } from "./protocol/amounts.js";
import type { RequestRecord } from "./request-record.js";
import { type CheckedSessions, checkServedSessions, type ServedSessions } from "./sessions/options.js";

/** Options of `createHandler()`. Defaults are in brackets. */
export interface HandlerOptions {
  /** The API keys. Without keys, every client that reaches the server may use it [none]. */
  readonly keys?: readonly KeyOptions[];
  /** Other names of models: `{ "gpt-4o": "qwen" }`. "*" matches every name that no model has [none]. */
  readonly aliases?: Aliases;
  /**
   * Hooks for all chat completions of this server, beside those of the engine, at the points that one model call fires
   * [none].
   */
  readonly hooks?: HookSet | HookSets;
  /** Sessions of agents that clients may open at `/sessions` [none]. */
  readonly sessions?: ServedSessions;
  /** Maximum size in bytes of a request's body [16777216]. */
  readonly maxBodyBytes?: number;
  /** Maximum number of messages and tool calls in the conversation of a request [10000]. */
  readonly maxMessages?: number;
  /** Maximum number of tools in a request [512]. */
  readonly maxTools?: number;
  /** Maximum number of texts in a request to embed or rank, and of its stop sequences and logit biases [2048]. */
  readonly maxInputs?: number;
  /** Milliseconds in which the body must have arrived [30000]. */
  readonly bodyTimeoutMs?: number;
  /** Maximum number of requests at once, over all keys; counted until a stream has ended [128]. */
  readonly maxRequests?: number;
  /** Milliseconds after which a reader who takes nothing is cut off, and its call cancelled [30000]. */
  readonly drainTimeoutMs?: number;
  /** Milliseconds without a token after which a comment goes into a stream, so that proxies keep it open [15000]. */
  readonly keepAliveMs?: number;
  /**
   * True: only requests whose Host header is localhost, 127.0.0.1 or [::1] are answered, against pages of other sites
   * that give their own name this address [true without keys].
   */
  readonly checkHost?: boolean;
  /** Called once for each request, when its answer is at its end; for a log. What it throws becomes a warning. */
  readonly onRequest?: (record: RequestRecord) => void;
}

/** Options of `serve()`. Defaults are in brackets. */
export interface ServeOptions extends HandlerOptions {
  /** The address to listen at. An address other than loopback needs `keys` ["127.0.0.1"]. */
  readonly host?: string;
  /** The port; 0: a free one [8080]. */
  readonly port?: number;
}

/** The options that are numbers, and their defaults. */
const usual = {
  maxBodyBytes: 16 * 2 ** 20,
  maxMessages: 10_000,
  maxTools: 512,
  maxInputs: 2048,
  bodyTimeoutMs: 30_000,
  maxRequests: 128,
  drainTimeoutMs: 30_000,
  keepAliveMs: 15_000,
} as const satisfies Partial<Record<keyof HandlerOptions, number>>;
const numbers = Object.keys(usual) as (keyof typeof usual)[];

/** Options with their defaults. */
export interface CheckedOptions extends BodyLimits, Amounts, Readonly<Record<keyof typeof usual, number>> {
  readonly keys: readonly KeyOptions[];
  readonly aliases: Aliases;
  readonly hooks: HookSets;
  readonly sessions: CheckedSessions | undefined;
  readonly checkHost: boolean;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
}

const handlerKeys = ["keys", "aliases", "hooks", "sessions", ...numbers, "checkHost", "onRequest"] as const;
const keyKeys = ["key", "name", "hooks", "maxConcurrent", "tokensPerMinute"] as const;

/** Checks the options of `createHandler()`. Errors: `TypeError` with `param`. */
export function checkHandlerOptions(value: unknown): CheckedOptions {
  return checkCommon(checkObject(value, "createHandler() options", handlerKeys), "createHandler() options");
}

/** Checks a grace in milliseconds, and shortens it to what a timer can wait for. Errors: `TypeError`. */
export function checkGrace(value: unknown): number {
  if (typeof value !== "number" || !(value >= 0)) throw wrong("graceMs", "a number from 0 up", value);
  return Math.min(value, 2 ** 31 - 1);
}

/** Checks the options of `serve()`. Errors: `TypeError` with `param`. */
export function checkServeOptions(value: unknown): CheckedOptions & { readonly host: string; readonly port: number } {
  const what = "serve() options";
  const { host: name, port, ...rest } = checkObject(value, what, [...handlerKeys, "host", "port"]);
  const host = optionalName(name, `${what}.host`) ?? "127.0.0.1";
  const common = checkCommon(rest, what);
  if (!isLoopback(host) && common.keys.length === 0)
    throw optionError(
      `${what}.host`,
      `${what}.host ${JSON.stringify(host)} can be reached by others, so keys are needed`,
    );
  return { ...common, host, port: optionalInteger(port, `${what}.port`, 0, 65_535) ?? 8080 };
}

function checkCommon(given: { readonly [K in keyof HandlerOptions]?: unknown }, what: string): CheckedOptions {
  const amounts = Object.fromEntries(
    numbers.map((name) => [name, optionalInteger(given[name], `${what}.${name}`, 1) ?? usual[name]]),
  ) as Record<keyof typeof usual, number>;
  const keys = checkKeys(given.keys, `${what}.keys`);
  optionalFunction(given.onRequest, `${what}.onRequest`);
  return {
    ...amounts,
    keys,
    aliases: checkAliases(given.aliases, `${what}.aliases`),
    hooks: checkHooks(given.hooks, `${what}.hooks`),
    sessions: checkServedSessions(given.sessions, `${what}.sessions`),
    checkHost: optionalBoolean(given.checkHost, `${what}.checkHost`) ?? keys.length === 0,
    onRequest: given.onRequest as CheckedOptions["onRequest"],
  };
}

function checkKeys(value: unknown, what: string): readonly KeyOptions[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(what, "an array of { key, name }", value);
  // An empty list would make the server usable without a key, which its author hardly wants.
  if (value.length === 0) throw optionError(what, `${what} must not be empty: leave it out if there are no keys`);
  const keys = value.map((one: unknown, index) => checkKey(one, `${what}[${index}]`));
  const twice = keys.findIndex(({ name, key }, index) =>
    keys.slice(0, index).some((other) => other.name === name || other.key === key),
  );
  if (twice !== -1) throw optionError(`${what}[${twice}]`, `${what}[${twice}] has the name or the key of another`);
  return keys;
}

function checkKey(value: unknown, at: string): KeyOptions {
  if (!isObject(value)) throw wrong(at, "an object with key and name", value);
  const { key, name, hooks, maxConcurrent, tokensPerMinute } = checkObject(value, at, keyKeys);
  // The message must not show the value.
  if (typeof key !== "string" || !/^[\x21-\x7e]{16,512}$/.test(key))
    throw optionError(`${at}.key`, `${at}.key must have 16 to 512 characters of ASCII, without spaces`);
  const most = optionalInteger(maxConcurrent, `${at}.maxConcurrent`, 1);
  const tokens = optionalInteger(tokensPerMinute, `${at}.tokensPerMinute`, 1);
  const text = requiredString(name, `${at}.name`);
  if (Buffer.byteLength(text) > 512) throw optionError(`${at}.name`, `${at}.name must have at most 512 bytes`);
  return {
    key,
    name: text,
    hooks: checkHooks(hooks, `${at}.hooks`),
    ...(most !== undefined && { maxConcurrent: most }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
}

function checkAliases(value: unknown, what: string): Aliases {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(what, "an object of model ids by name", value);
  for (const [name, id] of Object.entries(value)) requiredString(id, `${what}.${name}`);
  return { ...value } as Aliases;
}

/** Hooks at points that one model call never fires would never run. */
function checkHooks(value: unknown, what: string): HookSets {
  if (value === undefined) return [];
  const sets: readonly unknown[] = Array.isArray(value) ? value : [value];
  return sets.flatMap((set, index) => {
    if (set === null || set === undefined) return [];
    const at = Array.isArray(value) ? `${what}[${index}]` : what;
    if (!isObject(set)) throw wrong(at, "a hook set of defineHooks()", set);
    const { name, handlers, options } = checkObject(set, at, ["name", "handlers", "options"]) as Partial<HookSet>;
    const checked = defineHooks(requiredString(name, `${at}.name`), handlers ?? {}, options);
    for (const point of Object.keys(checked.handlers)) {
      const found = findPoint(point);
      if (found !== undefined && !firesIn("generation", found))
        throw optionError(at, `${at} has a hook at ${point}, which does not fire for a model call`);
    }
    return [checked];
  });
}

// remote(): a model behind an OpenAI-compatible address, or of an AI SDK provider, with its limits.
import {
  checkObject,
  isObject,
  optionalFunction,
  optionalInteger,
  optionalName,
  optionalStrings,
  requiredString,
  wrong,
} from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import type { Affinity } from "./affinity.js";
import { boundedFetch } from "./bounded-fetch.js";
import { abilities } from "./call-options.js";
import type { LanguageModel } from "./language-model.js";
import { keepKeys } from "./model-keys.js";
import { secretValues, type SecretValues } from "./secret-members.js";

export type { LanguageModel };

/** Milliseconds to wait for a remote model; 0: no limit. */
export interface RemoteTimeouts {
  /** Until the first piece of the answer [120,000]. */
  readonly firstPieceMs?: number;
  /** Between two pieces [60,000]. */
  readonly pieceMs?: number;
}

/** Limits of a remote model, and its way through a fleet. */
export interface RemoteLimits {
  /**
   * Gives hints that are sent with a request, so that a router finds the server that has the beginning of its prompt
   * [nothing]: `affinity` has ready ones.
   */
  readonly affinity?: Affinity;
  /**
   * Id of the model that answers when this one is unreachable before its answer begins [none]. `error` hooks get the
   * ids of both models, and the hooks of the call fire again for the other.
   */
  readonly fallback?: string;
  /**
   * Further keys, besides `apiKey`, those in `headers` and those in the headers of a provider package: they are masked
   * in errors and answers, too [none].
   */
  readonly secrets?: readonly string[];
  /** The longest waits. */
  readonly timeouts?: RemoteTimeouts;
  /**
   * Further attempts after a failure that may pass: no connection, a busy server, a fault of the server [2]. Only
   * before the first piece of an answer, with growing pauses, at least those that the server asks for, up to a minute.
   */
  readonly retries?: number;
}

/** Options of `remote()` with an address. */
export interface RemoteOptions extends RemoteLimits {
  /** Name of the model, as the server knows it. */
  readonly model: string;
  /** Sent as `Authorization: Bearer` [none]. It is not shown in descriptions, traces, errors or recordings. */
  readonly apiKey?: string;
  /**
   * Further headers of each request. A value is treated like `apiKey` if the header's name says that it is a key
   * (`X-API-Key`, `Cookie`, `X-Auth-Token`), and if it is that of `Bearer` or `Basic`; other values of 6 characters or
   * more are masked in errors alone.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Ways {
  readonly limits: RemoteCallLimits;
  readonly affinity: Affinity;
  readonly fallback: string | undefined;
  readonly secrets: readonly string[];
}

/** The limits of a call of a remote model, as passed to `remote()`. */
export interface RemoteCallLimits {
  /** Milliseconds until the first piece of an answer; 0: no limit. */
  readonly firstPieceMs: number;
  /** Milliseconds between two pieces; 0: no limit. */
  readonly pieceMs: number;
  /** Number of times that a call that failed before its first piece is made again. */
  readonly retries: number;
}

/** A remote model, made by `remote()`. */
export class RemoteModel {
  /** The address, without user, password, query and fragment; or the name of the provider. */
  readonly address: string;
  /** One line about the model. */
  readonly description: string;
  readonly #open: () => LanguageModel | Promise<LanguageModel>;
  #model: LanguageModel | undefined;
  /** Sampling parameters that its provider has left out. */
  readonly #left: Set<string>;
  #isDoubted = false;
  readonly #limits: RemoteCallLimits;
  readonly #affinity: Affinity;
  /** Id of the model that answers when this one is unreachable. */
  readonly fallback: string | undefined;

  /** Called by `remote()` only. */
  constructor(
    names: { readonly address: string; readonly description: string },
    { limits, affinity, fallback, secrets: named }: Ways,
    open: () => LanguageModel | Promise<LanguageModel>,
    secrets: SecretValues = { keys: [], others: [] },
    left: readonly string[] = [],
  ) {
    this.#left = new Set(left);
    this.address = names.address;
    this.description = names.description;
    this.#limits = limits;
    this.#affinity = affinity;
    this.fallback = fallback;
    this.#open = open;
    keepKeys(this, { keys: [...secrets.keys, ...named], others: secrets.others });
  }

  /** Returns the limits. Called by the engine only. */
  limits(): RemoteCallLimits {
    return this.#limits;
  }

  /** Returns the affinity. Called by the engine only. */
  affinity(): Affinity {
    return this.#affinity;
  }

  /** The language model, made once. Errors: UNSUPPORTED if the package that it needs is missing. */
  async open(): Promise<LanguageModel> {
    this.#model ??= await this.#open();
    return this.#model;
  }

  /**
   * True if the model may follow the sampling parameter: its provider interface has it, and its provider has not
   * reported that it leaves it out. Called by the engine only.
   */
  follows(parameter: string): boolean {
    const version = this.#model?.specificationVersion ?? "v3";
    return abilities(version).parameters.includes(parameter) && !this.#left.has(parameter);
  }

  /** Warns once that the server's counts are impossible. Called by the engine only. */
  doubts(why: string): void {
    if (this.#isDoubted) return;
    this.#isDoubted = true;
    const message = `${this.address}: the usage of an answer is not believed, because ${why}; the answer stands, and its tokens are estimated`;
    process.emitWarning(message, { type: "RemoteUsage", code: "REMOTE_FAILED" });
  }

  /** Notes that the provider does not send the parameter. Called by the engine only. */
  leavesOut(parameter: string): void {
    this.#left.add(parameter);
  }
}

/**
 * Describes a remote model, for `engine.models.load(id, { provider })`.
 *
 * With an address: that of an OpenAI-compatible API, such as `http://host:8000/v1` of vLLM, SGLang or llama-server. It
 * needs the package `@ai-sdk/openai-compatible`. Redirects to another address are refused. With a language model of an
 * AI SDK provider package (its interface version 3 or 4): that model.
 * Errors: `TypeError`.
 *
 * @example
 * ```ts
 * const engine = await createEngine({
 *   models: {
 *     small: { path: "small.gguf" },
 *     big: { provider: remote("http://host:8000/v1", { model: "qwen3-32b", apiKey: "a key" }), contextSize: 32_768 },
 *   },
 * });
 * await engine.generate("Hello!", { model: "big" });
 * ```
 */
export function remote(baseURL: string, options: RemoteOptions): RemoteModel;
export function remote(model: LanguageModel, limits?: RemoteLimits): RemoteModel;
export function remote(where: string | LanguageModel, options?: RemoteOptions | RemoteLimits): RemoteModel {
  if (typeof where === "string") return atAddress(where, options);
  if (!isLanguageModel(where)) throw wrong("The model of remote()", "an address or an AI SDK language model", where);
  const given = checkObject(options, "remote() options", wayKeys);
  const { provider, modelId } = where;
  return new RemoteModel({ address: provider, description: modelId }, waysOf(given), () => where);
}

/** The remote model that an option `provider` names. */
export function checkProvider(value: unknown, what: string): RemoteModel {
  if (value instanceof RemoteModel) return value;
  if (isLanguageModel(value)) return remote(value);
  throw wrong(what, "what remote() returns, or an AI SDK language model of version 3 or 4", value);
}

const wayKeys = ["timeouts", "retries", "affinity", "fallback", "secrets"] as const;

const versions = ["v3", "v4"];

function isLanguageModel(value: unknown): value is LanguageModel {
  return (
    isObject(value) &&
    typeof value["doStream"] === "function" &&
    versions.includes(value["specificationVersion"] as string) &&
    typeof value["provider"] === "string" &&
    typeof value["modelId"] === "string"
  );
}

function atAddress(baseURL: string, options: unknown): RemoteModel {
  const given = checkObject(options, "remote() options", ["model", "apiKey", "headers", ...wayKeys]);
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol))
    throw wrong("The address of remote()", "an address that begins with http:// or https://", baseURL);
  const url = new URL(baseURL);
  if (url.username !== "" || url.password !== "")
    throw new TypeError("The address of remote() must have no user or password: pass apiKey or headers");
  const model = requiredString(given.model, "remote() options.model");
  const apiKey = optionalName(given.apiKey, "remote() options.apiKey");
  const headers = headersOf(given.headers);
  const queryParams = Object.fromEntries(url.searchParams);
  const { keys, others } = secretValues([...Object.entries(headers), ...url.searchParams]);
  const address = `${url.origin}${url.pathname}`.replace(/\/$/, "");
  const settings = { name: providerName, baseURL: address, apiKey, headers, queryParams };
  return new RemoteModel(
    { address, description: model },
    waysOf(given),
    () => openCompatible(settings, model),
    { keys: [apiKey ?? "", ...keys], others },
    ["top_k"], // the package does not send it
  );
}

/** The name under which a call gives fields for the body. */
const providerName = "remote";

const compatible = "@ai-sdk/openai-compatible";

async function openCompatible(settings: Readonly<Record<string, unknown>>, model: string): Promise<LanguageModel> {
  let made;
  try {
    made = (await import(/* a variable: the package may be missing */ compatible)) as {
      createOpenAICompatible(settings: unknown): (model: string) => LanguageModel;
    };
  } catch (cause) {
    const message = `remote() with an address needs the package ${compatible}: npm install ${compatible}`;
    throw new LlamaHooksError("UNSUPPORTED", message, { cause });
  }
  return made.createOpenAICompatible({
    ...settings,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: boundedFetch,
  })(model);
}

function headersOf(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong("remote() options.headers", "an object of texts by name", value);
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") throw wrong(`remote() options.headers.${name}`, "a string", text);
  }
  return { ...value } as Record<string, string>;
}

function waysOf(given: { readonly [Key in (typeof wayKeys)[number]]?: unknown }): Ways {
  const timeouts = checkObject(given.timeouts, "remote() options.timeouts", ["firstPieceMs", "pieceMs"]);
  optionalFunction(given.affinity, "remote() options.affinity");
  return {
    limits: {
      firstPieceMs: optionalInteger(timeouts.firstPieceMs, "remote() options.timeouts.firstPieceMs", 0) ?? 120_000,
      pieceMs: optionalInteger(timeouts.pieceMs, "remote() options.timeouts.pieceMs", 0) ?? 60_000,
      retries: optionalInteger(given.retries, "remote() options.retries", 0, 100) ?? 2,
    },
    affinity: (given.affinity as Affinity | undefined) ?? (() => ({})),
    fallback: optionalName(given.fallback, "remote() options.fallback"),
    secrets: optionalStrings(given.secrets, "remote() options.secrets") ?? [],
  };
}

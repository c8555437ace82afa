// Callers by their API keys, which are kept as hashes only.
import { createHash, timingSafeEqual } from "node:crypto";
import type { HookSets } from "../../index.js";
import { ApiError } from "./api-error.js";
import type { Exchange } from "./exchange.js";
import { Slots, TokenBudget } from "./quota.js";

/** An API key, and what its holder may do. */
export interface KeyOptions {
  /** The key, as clients send it: at least 16 characters. The server keeps only its SHA-256. */
  readonly key: string;
  /** Name of its holder, for the log and as the tag `key` of every call; unique. */
  readonly name: string;
  /** Hooks for the chat completions of this key, beside those of the engine and the server [none]. */
  readonly hooks?: HookSets;
  /** Requests of this key at once, counted until a stream has ended [no limit]. */
  readonly maxConcurrent?: number;
  /**
   * Tokens of prompts and answers that this key may use in a minute. The budget refills evenly. A request is accepted
   * while the budget has tokens left, and is charged when it ends. Meanwhile the estimated tokens of its texts and the
   * maximum number of tokens in its answer (`max_tokens`) are set aside; without `max_tokens`, the answers of
   * concurrent requests can exceed the budget [no limit].
   */
  readonly tokensPerMinute?: number;
}

/** The holder of a key; without keys, all clients together. */
export class Caller {
  /** Undefined: the server has no keys. */
  readonly name: string | undefined;
  readonly hooks: HookSets;
  readonly slots: Slots;
  readonly budget: TokenBudget | undefined;

  constructor(key: KeyOptions | undefined) {
    this.name = key?.name;
    this.hooks = key?.hooks ?? [];
    this.slots = new Slots(key?.maxConcurrent ?? Infinity, "concurrency_exceeded");
    this.budget = key?.tokensPerMinute === undefined ? undefined : new TokenBudget(key.tokensPerMinute);
  }
}

/** Finds the caller of a request. */
export class Callers {
  readonly #keys: readonly { readonly hash: Buffer; readonly caller: Caller }[];
  /** The caller where no key is asked for. */
  readonly everybody = new Caller(undefined);

  constructor(keys: readonly KeyOptions[]) {
    this.#keys = keys.map((key) => ({ hash: hashOf(key.key), caller: new Caller(key) }));
  }

  /** Errors: 401 if there are keys, and the request has none of them. */
  of(exchange: Exchange): Caller {
    if (this.#keys.length === 0) return this.everybody;
    const given = keyOf(exchange);
    const hash = hashOf(given ?? "");
    let found: Caller | undefined;
    // Every key is compared, so that the time says nothing about which one it was.
    for (const key of this.#keys) if (timingSafeEqual(key.hash, hash)) found = key.caller;
    if (found !== undefined && given !== undefined) return found;
    const message =
      given === undefined
        ? "An API key is needed: send the header Authorization: Bearer <key>"
        : "The API key is not valid";
    throw new ApiError(401, message, { code: "invalid_api_key", headers: { "www-authenticate": "Bearer" } });
  }
}

function keyOf(exchange: Exchange): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(exchange.header("authorization") ?? "")?.[1];
  return bearer ?? exchange.header("x-api-key");
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

// The token of an inspector. Every request to read or answer something needs it.
import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../server/http/api-error.js";
import type { Exchange } from "../../server/http/exchange.js";

/** Checks the token of requests. It keeps only the token's hash. */
export class TokenCheck {
  readonly #hash: Buffer;

  constructor(token: string) {
    this.#hash = hashOf(token);
  }

  /** Errors: 401 if the request has another token, or none. */
  check(exchange: Exchange): void {
    const given = /^bearer +(\S+) *$/i.exec(exchange.header("authorization") ?? "")?.[1];
    // Hashes have one length, and their comparison takes one time.
    if (timingSafeEqual(this.#hash, hashOf(given ?? "")) && given !== undefined) return;
    const message = "The inspector's token is needed: open the address that it printed";
    throw new ApiError(401, message, { code: "invalid_token", headers: { "www-authenticate": "Bearer" } });
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

// Reads the body of a request as JSON, within a bound of bytes and of time.
import { isObject, got } from "../../base/check.js";
import { isTooDeep, maxDepth } from "../../base/depth.js";
import { ApiError, badRequest } from "./api-error.js";
import { cancelled } from "./failure.js";
import type { Exchange } from "./exchange.js";

/** The bounds of a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/**
 * Returns the object that the body holds. Errors: 415 for another type than JSON, which a page of another site could
 * send without asking; 413, 408 and 400.
 */
export async function readJson(exchange: Exchange, limits: BodyLimits): Promise<Readonly<Record<string, unknown>>> {
  const type = exchange.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw unread(415, "The content-type must be application/json", "unsupported_type");
  if ((exchange.header("content-encoding") ?? "identity") !== "identity")
    throw unread(415, "The body must not be compressed", "unsupported_encoding");
  const bytes = await readBytes(exchange, limits);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw badRequest(`The body is not valid JSON: ${(error as Error).message}`, undefined, "invalid_json");
  }
  if (!isObject(value)) throw badRequest(`The body must be a JSON object, got ${got(value)}`);
  if (isTooDeep(value)) throw badRequest(`The body is nested more than ${maxDepth} levels deep`, undefined, "too_deep");
  return value;
}

async function readBytes(exchange: Exchange, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<Uint8Array> {
  const tooLarge = (): ApiError => unread(413, `The body has more than ${maxBodyBytes} bytes`, "request_too_large");
  if (Number(exchange.header("content-length") ?? 0) > maxBodyBytes) throw tooLarge();
  const late = unread(408, `The body did not arrive within ${bodyTimeoutMs} ms`, "request_timeout");
  let timer: NodeJS.Timeout | undefined;
  let leave = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), bodyTimeoutMs);
    leave = () => reject(cancelled());
    if (exchange.signal.aborted) leave();
    exchange.signal.addEventListener("abort", leave, { once: true });
  });
  ended.catch(() => undefined); // the body may have been read by then
  const pieces: Uint8Array[] = [];
  let length = 0;
  const iterator = exchange.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      next.catch(() => undefined); // it may fail after the timeout
      const { done, value } = await Promise.race([next, ended]);
      if (done === true) return Buffer.concat(pieces, length);
      length += value.byteLength;
      if (length > maxBodyBytes) throw tooLarge();
      pieces.push(value);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (exchange.signal.aborted) throw cancelled();
    throw unread(400, "The body could not be read", "invalid_body");
  } finally {
    clearTimeout(timer);
    exchange.signal.removeEventListener("abort", leave);
  }
}

function unread(status: number, message: string, code: string): ApiError {
  return new ApiError(status, message, { code, closes: true });
}

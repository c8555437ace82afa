// Puts Ajv's errors into words. Must not: load Ajv, which most programs never need.
import type { ErrorObject } from "ajv";

/**
 * "/city must be string". Adds what Ajv's message omits: the name of an unknown property, and the allowed values.
 * `root` is the name of the whole value.
 */
export function inWords({ instancePath, message, params }: ErrorObject, root = ""): string {
  const detail = params as { additionalProperty?: string; allowedValues?: unknown[] };
  const more = detail.additionalProperty ?? detail.allowedValues?.map((value) => JSON.stringify(value)).join(", ");
  return `${instancePath || root} ${message ?? "is wrong"}${more === undefined ? "" : `: ${more}`}`.trim();
}

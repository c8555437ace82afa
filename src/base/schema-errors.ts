// What Ajv finds wrong, in words. Must not: load Ajv, which most programs never need.
import type { ErrorObject } from "ajv";

/** "/city must be string"; Ajv's words leave out which property is too many, and which values there are. `root`: the whole. */
export function inWords({ instancePath, message, params }: ErrorObject, root = ""): string {
  const detail = params as { additionalProperty?: string; allowedValues?: unknown[] };
  const more = detail.additionalProperty ?? detail.allowedValues?.map((value) => JSON.stringify(value)).join(", ");
  return `${instancePath || root} ${message ?? "is wrong"}${more === undefined ? "" : `: ${more}`}`.trim();
}

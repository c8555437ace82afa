// Names on both sides of the addon: camelCase here, snake_case there. Must not: touch the user's own data.

/** `topNSigma` -> `top_n_sigma`. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `top_n_sigma` -> `topNSigma`. */
export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A copy of the engine's own JSON with keys in camelCase, all the way down. For data without any of the user's keys. */
export function camelDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelDeep);
  if (typeof value !== "object" || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) out[toCamel(key)] = camelDeep(item);
  return out;
}

/** A copy of an object with its own keys in camelCase, and what they hold as it is: the user's data may be in there. */
export function camelTop(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [toCamel(key), item as unknown]));
}

/**
 * JSON that the engine can read. Half a surrogate pair, which a text that was cut by its length may end in, becomes
 * U+FFFD: there is no UTF-8 for it.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Pairs are written as they are: only halves are escaped. The second branch steps over an escaped backslash.
  return json.includes("\\ud")
    ? json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) =>
        found[1] === "u" && found[2] === "d" ? "\ufffd" : found,
      )
    : json;
}

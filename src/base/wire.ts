// Converts names: camelCase in TypeScript, snake_case in the engine. Must not: convert keys of the user's own data.

/** `topNSigma` -> `top_n_sigma`. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `top_n_sigma` -> `topNSigma`. */
export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Copies the engine's JSON with keys in camelCase at all depths. Only for data without user keys. */
export function camelDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelDeep);
  if (typeof value !== "object" || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) out[toCamel(key)] = camelDeep(item);
  return out;
}

/** Copies an object with its own keys in camelCase and its values unchanged, because they may hold user data. */
export function camelTop(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [toCamel(key), item as unknown]));
}

/** The same in snake_case. */
export function snakeTop(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toSnake(key), item as unknown]));
}

/**
 * JSON that the engine can read. Lone surrogates, for example of a text cut by length, become U+FFFD, because UTF-8
 * cannot encode them.
 */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes lone surrogates only. The second branch skips an escaped backslash.
  return json.includes("\\ud")
    ? json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) =>
        found[1] === "u" && found[2] === "d" ? "\ufffd" : found,
      )
    : json;
}

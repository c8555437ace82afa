// The members of a request's object: those that are null, and those that have no effect.

/** Clients send null for members that they leave out. */
export function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** The names of members that are not known. */
export function ignoredOf(body: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  return Object.keys(body).filter((name) => !known.includes(name));
}

const most = 32;
const longest = 2000; // clients bound the headers of an answer

/**
 * The header that lists the members of the request that had no effect. Names are escaped, because a client chose them.
 */
export function ignoredHeader(names: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return {};
  const shown = names.slice(0, most).map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()));
  const text = shown.join(", ").replaceAll("%5B", "[").replaceAll("%5D", "]");
  return { "llama-hooks-ignored": text.length > longest ? `${text.slice(0, longest)}...` : text };
}

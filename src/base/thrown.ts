// What was thrown, in words: it may be any value, and reading it may run code that throws in turn. Must not: throw.

/** As `instanceof`, which asks the value for its prototype: that of a proxy may throw. */
export function isA<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** What an Error says of itself; undefined: it is none, or cannot be read. Its fields may hold anything, too. */
export function errorSays(thrown: unknown): { readonly name: string; readonly message: string } | undefined {
  try {
    return isA(thrown, Error) ? { name: String(thrown.name), message: String(thrown.message) } : undefined;
  } catch {
    return undefined;
  }
}

/** Any value in `words`. */
export function shown(value: unknown, words: (value: unknown) => string = String): string {
  try {
    return words(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** A failure in a line, where who reads it knows what has failed. */
export function messageOf(thrown: unknown): string {
  const said = errorSays(thrown);
  return said === undefined ? shown(thrown) : said.message || said.name;
}

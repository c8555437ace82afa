// The depth of values from files. Must not: recurse, because a value that is too deep would exhaust the stack in this
// check.

/** The engine's own limit for JSON (kMaxJsonDepth): code that walks a value recurses. */
export const maxDepth = 512;

/** True if objects and arrays are nested in each other more than `maxDepth` times. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    level = level.filter((one) => typeof one === "object" && one !== null);
  }
  return false;
}

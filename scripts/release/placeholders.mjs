// Finds the fields of a package.json that are not filled in yet: they say where the project lives. Must not: publish
// anything.

const fields = ["repository", "homepage", "bugs"];

/** Names of those that are missing or hold a placeholder (FILL-IN). */
export function unfilled(manifest) {
  return fields.filter((name) => manifest[name] === undefined || /FILL-IN/.test(JSON.stringify(manifest[name])));
}

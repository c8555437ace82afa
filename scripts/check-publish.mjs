// `npm publish` runs this first: it refuses a package.json whose fields are not filled in. Takes the folder of the
// package, default this one. What `npm run pack` makes of such a package.json is private, so that npm refuses it, too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unfilled } from "./release/placeholders.mjs";

const folder = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const missing = unfilled(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
if (missing.length > 0) {
  console.error(`package.json: fill in ${missing.join(", ")} before you publish (docs/internals/releasing.md)`);
  process.exitCode = 1;
}

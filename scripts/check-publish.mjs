// Runs before `npm publish`: refuses a package.json with missing fields, and a package-lock.json with packages whose
// content nothing identifies. Takes the folder of the package, by default
// this one. `npm run pack` marks the packages of such a package.json as private, so that npm refuses them, too.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unfilled } from "./release/placeholders.mjs";

const folder = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const missing = unfilled(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
if (missing.length > 0) {
  console.error(`package.json: fill in ${missing.join(", ")} before you publish (docs/internals/releasing.md)`);
  process.exitCode = 1;
}

const lockFile = join(folder, "package-lock.json");
const { packages } = existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, "utf8")) : { packages: {} };
const bare = Object.entries(packages).flatMap(([at, { integrity, link }]) =>
  at === "" || link || integrity ? [] : [at.replace(/^.*node_modules\//, "")],
);
if (bare.length > 0) {
  console.error(
    `package-lock.json: no integrity for ${bare.join(", ")}: run npm install with a registry that has them`,
  );
  process.exitCode = 1;
}

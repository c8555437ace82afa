// Bundles the entries of the package into dist/bundle/, from the modules that tsc has written: a process that imports a
// hundred small modules spends more time on finding and opening them than on all else until its engine is made.
// Must not: take in dependencies, which have their own licenses and versions.
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseSync } from "rolldown/utils";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const out = path.join(dist, "bundle");

/** The `import.meta` expressions in a syntax tree. */
function metas(node, found = []) {
  if (node?.type === "MetaProperty") found.push(node);
  else if (typeof node === "object") for (const child of Object.values(node ?? {})) metas(child, found);
  return found;
}

/** A module finds files of the package from where tsc has written it, although its code is in the bundle. */
const places = {
  name: "places",
  load(id) {
    if (!id.startsWith(dist)) return null;
    return { code: readFileSync(id, "utf8"), map: JSON.parse(readFileSync(`${id}.map`, "utf8")) };
  },
  transform(code, id, { magicString }) {
    if (!id.startsWith(dist) || !code.includes("import.meta.url")) return null;
    const place = path.relative(dist, id).replaceAll(path.sep, "/");
    for (const { start, end } of metas(parseSync(id, code).program)) {
      if (code.slice(end, end + 4) !== ".url") throw new Error(`${id}: only import.meta.url is known here`);
      magicString.overwrite(start, end + 4, `new URL("../${place}", import.meta.url).href`);
    }
    return { code: magicString };
  },
};

const bundle = await rolldown({
  input: {
    index: path.join(dist, "index.js"),
    hooks: path.join(dist, "ready-hooks", "index.js"),
    server: path.join(dist, "server", "index.js"),
    inspector: path.join(dist, "inspector", "index.js"),
    "ai-sdk": path.join(dist, "ai-sdk", "index.js"),
    mcp: path.join(dist, "mcp", "index.js"),
    otel: path.join(dist, "otel", "index.js"),
    testing: path.join(dist, "testing", "index.js"),
    command: path.join(dist, "cli", "main.js"),
    "command-bench-hooks": path.join(dist, "cli", "commands", "bench-hooks-process.js"),
  },
  external: (name) => !name.startsWith(".") && !path.isAbsolute(name),
  platform: "node",
  treeshake: false,
  plugins: [places],
  experimental: { nativeMagicString: true },
  onLog: (_, { message }) => {
    throw new Error(message);
  },
});
rmSync(out, { recursive: true, force: true });
// The names of the files with the command's modules begin with "command", which src/cli/process/error-text.ts relies
// on.
const chunkFileNames = ({ moduleIds }) =>
  `${moduleIds.some((id) => id.startsWith(path.join(dist, "cli") + path.sep)) ? "command-" : ""}[name]-[hash].js`;
await bundle.write({ dir: out, format: "esm", sourcemap: true, chunkFileNames });
await bundle.close();

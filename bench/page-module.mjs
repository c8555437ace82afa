// Bundles a TypeScript module of bench/page or bench/chart and imports it, as Node cannot read TypeScript. The bundle is
// as deep under the root as the module, so that both find the files beside it.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../", import.meta.url));

/** `module`: its path under bench/, without `.ts`. */
export async function pageModule(module) {
  const folder = path.join(root, "build", "bench");
  const file = path.join(folder, `${path.basename(module)}.mjs`);
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: path.join(root, "bench", `${module}.ts`),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
  });
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return import(pathToFileURL(file).href);
}

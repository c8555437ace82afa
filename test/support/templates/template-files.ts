// The chat templates that come with llama.cpp.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const folder = fileURLToPath(new URL("../../../build/llama.cpp/models/templates", import.meta.url));

export const templateNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".jinja"))
  .map((file) => file.slice(0, -".jinja".length))
  .sort();

/** The text of a template, by its name in the bundle, without `.jinja`. */
export function templateSource(name: string): string {
  return readFileSync(path.join(folder, `${name}.jinja`), "utf8");
}

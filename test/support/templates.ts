// The chat templates of real models, from the bundle of llama.cpp that the addon is built with.
import { readFile } from "node:fs/promises";

const folder = new URL("../../build/llama.cpp/models/templates/", import.meta.url);

/** The text of a template, by its name in the bundle, without `.jinja`. */
export function realTemplate(name: string): Promise<string> {
  return readFile(new URL(`${name}.jinja`, folder), "utf8");
}

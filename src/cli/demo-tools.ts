// The tools of `llama-hooks run`. Their descriptions are those that the bundled model was trained with
// (models/tiny-agent/tools.mjs). Must not: reach beyond the current folder, or the network.
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type JsonSchema, tool, type Tool } from "../index.js";
import { evaluate } from "./arithmetic.js";

const oneString = (name: string): JsonSchema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

/** Largest file that read_file reads, in bytes. */
const fileLimit = 16_384;

const conditions = ["rain", "sunny", "cloudy", "snow", "fog", "windy", "clear", "storm"];

const calculator = tool({
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  parameters: oneString("expression"),
  run: ({ expression }) => String(Number(evaluate(text(expression, "expression")).toPrecision(12))),
});

/** Invented: the same city always gets the same made-up weather. For demonstrations only. */
const weather = tool({
  name: "weather",
  description: "Tells the current weather of a city.",
  parameters: oneString("city"),
  run: (args) => {
    const city = text(args["city"], "city");
    let sum = 0;
    for (const letter of city.toLowerCase()) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
    return JSON.stringify({ city, temp_c: (sum % 31) - 2, condition: conditions[sum % conditions.length] });
  },
});

const readFileTool = tool({
  name: "read_file",
  description: "Reads a text file.",
  parameters: oneString("path"),
  run: async (args) => {
    const folder = await realpath(process.cwd());
    const file = await realpath(path.resolve(folder, text(args["path"], "path"))).catch(() => undefined);
    if (file === undefined) throw new Error("no such file");
    if (path.relative(folder, file).startsWith("..") || path.isAbsolute(path.relative(folder, file))) {
      throw new Error("outside the current folder");
    }
    const { size } = await stat(file);
    if (size > fileLimit) throw new Error("file too large");
    const bytes = await readFile(file);
    if (bytes.includes(0)) throw new Error("not a text file");
    return bytes.toString("utf8");
  },
});

/** The tools offered. The weather is invented, so only the bundled model, which is a demonstration itself, gets it. */
export function demoTools(bundled: boolean): readonly Tool[] {
  return bundled ? [calculator, weather, readFileTool] : [calculator, readFileTool];
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Error(`${name} must be a string`);
  return value;
}

// The tools of the demonstration. Their descriptions are those that the bundled model was trained with
// (models/tiny-agent/tools.mjs). Must not: reach beyond the folder of examples, or the network.
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonSchema, tool, type Tool } from "../../index.js";
import { evaluate } from "./arithmetic.js";

const oneString = (name: string): JsonSchema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

/** The files that read_file may read come with the package. The model cannot reach the user's files. */
const folderOfExamples = fileURLToPath(new URL("../../../examples/files", import.meta.url));

/** The size in bytes of the largest file that read_file reads. */
const fileLimit = 16_384;

const conditions = ["rain", "sunny", "cloudy", "snow", "fog", "windy", "clear", "storm"];

const calculator = tool({
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  parameters: oneString("expression"),
  run: ({ expression }) => String(Number(evaluate(text(expression, "expression")).toPrecision(12))),
});

/** The weather is made up; the same city always gets the same weather. */
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

const outside = "outside the folder of examples";

const readFileTool = tool({
  name: "read_file",
  description: "Reads a text file.",
  parameters: oneString("path"),
  run: async (args) => {
    const asked = text(args["path"], "path");
    if (path.isAbsolute(asked) || asked.split(/[\\/]/).includes("..")) throw new Error(outside);
    const folder = await realpath(folderOfExamples);
    const file = await realpath(path.join(folder, asked)).catch(() => undefined);
    const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || found?.isFile() !== true) throw new Error("no such file");
    if (!file.startsWith(folder + path.sep)) throw new Error(outside); // a link leads out of the folder
    if (found.size > fileLimit) throw new Error("file too large");
    const bytes = await readFile(file);
    if (bytes.includes(0)) throw new Error("not a text file");
    return bytes.toString("utf8");
  },
});

/** The bundled model gets these tools by default; any other model only if the user asks for them. */
export const demoTools: readonly Tool[] = [calculator, weather, readFileTool];

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Error(`${name} must be a string`);
  return value;
}

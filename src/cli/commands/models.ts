// `llama-hooks pull` and `llama-hooks models`: downloaded models.
import { size } from "../../base/byte-size.js";
import { plural } from "../../base/plural.js";
import { cachedModels, type CachedModel, downloadModel, removeCachedModel } from "../../index.js";
import { downloadView } from "../view/download-view.js";
import { exitCodes } from "../process/exit.js";
import { interruptible } from "../process/interrupt.js";
import { jsonLine } from "../process/json-line.js";
import { Terminal } from "../process/terminal.js";

export interface PullOptions {
  readonly verify?: boolean;
  readonly allowHttp?: boolean;
}

/** Downloads a model, shows the progress on stderr, and prints the path of the file. */
export async function pull(name: string, options: PullOptions): Promise<number> {
  const terminal = new Terminal();
  return interruptible(async (signal) => {
    try {
      const model = await downloadModel(name, { ...options, signal, onProgress: downloadView(terminal) });
      terminal.result(`${model.path}\n`);
      return exitCodes.ok;
    } catch (error) {
      if (!signal.aborted) throw error;
      terminal.note("interrupted; the next download continues from here");
      return exitCodes.interrupted;
    }
  });
}

export interface ListOptions {
  readonly json?: boolean;
  readonly names?: boolean;
}

/** Prints the downloaded models, one per line. */
export async function listModels({ json, names }: ListOptions): Promise<number> {
  const models = await cachedModels();
  const terminal = new Terminal();
  if (json === true) terminal.result(models.map(jsonLine).join(""));
  else if (names === true) terminal.result(models.map(({ name }) => `${name}\n`).join(""));
  else terminal.result(`${models.length === 0 ? "no models have been fetched" : table(models)}\n`);
  return exitCodes.ok;
}

export async function removeModel(name: string): Promise<number> {
  const model = await removeCachedModel(name);
  new Terminal().result(`removed ${model.name}, ${size(model.size)}\n`);
  return exitCodes.ok;
}

function table(models: readonly CachedModel[]): string {
  const rows = models.map((model) => [
    model.name,
    size(model.size),
    model.architecture ?? "?",
    model.contextLength === null ? "?" : plural(model.contextLength, "token"),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 1 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join("  "),
    )
    .map((line) => line.trimEnd())
    .join("\n");
}

// Writes the synthetic models of benchmarks, and describes models.
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import type { ModelInfo } from "../../index.js";
import { type ShapeName, writeSyntheticModel } from "../../testing/index.js";
import { size } from "../../base/byte-size.js";

/** Small matrices need the finer format to be as precise as real models. Large ones use the format that users run. */
export function quantizationOf(shape: ShapeName): "Q8_0" | "Q4_0" {
  return ["narrow", "tiny", "hybrid", "windowed"].includes(shape) ? "Q8_0" : "Q4_0";
}

export interface ModelFileOptions {
  readonly vocabularyFrom?: string;
  /** Passed to `writeSyntheticModel()`. */
  readonly chatTemplate?: string;
  /** Passed to `writeSyntheticModel()`. */
  readonly walk?: number;
}

/** Writes a model of this shape with random weights into `folder` unless it exists, and returns its path. */
export async function syntheticModel(
  folder: string,
  shape: ShapeName,
  options: ModelFileOptions = {},
): Promise<string> {
  const quantization = quantizationOf(shape);
  const { walk } = options;
  const file = path.join(folder, `${shape}${walk === undefined ? "" : `-walk-${walk}`}-${quantization}.gguf`);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  // The file gets its name only when it is complete, so that an interrupted run leaves no half-written model.
  const part = `${file}.${process.pid}`;
  await writeSyntheticModel(part, shape, { quantization, ...options });
  await rename(part, file);
  return file;
}

/** "tiny, synthetic: 4 layers, 19 M parameters, llama ?B Q8_0, 21.3 MB". */
export function modelLabel(name: string, { layers, parameters, description, fileBytes }: ModelInfo): string {
  const format = /\b(?:I?Q\d\w*|B?F\d\d|MXFP4)\b.*$/.exec(description)?.[0] ?? description;
  return `${name}: ${layers} layers, ${count(parameters)} parameters, ${format}, ${size(fileBytes)}`;
}

function count(parameters: number): string {
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)} B`;
  return `${(parameters / 1e6).toFixed(parameters < 1e7 ? 1 : 0)} M`;
}

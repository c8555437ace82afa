// Model files by their keys and the shapes of their tensors.
import { type GgufTensor, type GgufValue, text, writeGguf } from "../../../src/testing/gguf-writer.js";
import type { Tokenizer } from "../../../src/testing/synthetic-tokenizer.js";

/** A tensor: its name, without ".weight" where it ends so, and its dimensions. */
export type Shape = readonly [name: string, ...dimensions: number[]];

/** The keys are those of the architecture, without its name. */
export async function writeShapedModel(
  file: string,
  architecture: string,
  tokenizer: Tokenizer,
  keys: readonly (readonly [key: string, value: GgufValue])[],
  shapes: readonly Shape[],
): Promise<string> {
  await writeGguf(file, {
    metadata: new Map<string, GgufValue>([
      ["general.architecture", text(architecture)],
      ...keys.map(([key, value]): [string, GgufValue] => [`${architecture}.${key}`, value]),
      ...tokenizer.entries,
    ]),
    tensors: shapes.map(tensor),
  });
  return file;
}

function tensor([name, ...dimensions]: Shape): GgufTensor {
  const length = dimensions.reduce((product, dimension) => product * dimension, 1);
  const numbers = Float32Array.from({ length }, (_, i) => (dimensions.length === 1 ? 1 : Math.sin(i) / 5));
  return {
    name: name.endsWith(".bias") ? name : `${name}.weight`,
    dimensions,
    type: "F32",
    data: () => [new Uint8Array(numbers.buffer)],
  };
}

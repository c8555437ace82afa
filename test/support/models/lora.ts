// Writes LoRA files of any shape, for tests on synthetic models.
import { type GgufTensor, type GgufValue, text, writeGguf } from "../../../src/testing/gguf-writer.js";

export interface Lora {
  /** Default "llama". */
  readonly architecture?: string;
  /** The tensor to change, for example `blk.0.ffn_down.weight`, with its columns and rows. */
  readonly tensor: string;
  readonly inputs: number;
  readonly outputs: number;
  /** Default 2. A large one makes a large adapter. */
  readonly rank?: number;
  /** For an aLoRA: `adapter.alora.invocation_tokens`. */
  readonly invocation?: GgufValue | undefined;
}

/** Writes an adapter with wave-shaped numbers, which changes much. Returns `file`. */
export async function writeLora(file: string, lora: Lora): Promise<string> {
  const { architecture = "llama", tensor, inputs, outputs, rank = 2, invocation } = lora;
  const half = (name: string, seed: number, dimensions: readonly [number, number]): GgufTensor => ({
    name: `${tensor}.${name}`,
    dimensions,
    type: "F32",
    data: () => [new Uint8Array(wave(seed, dimensions[0] * dimensions[1]).buffer)],
  });
  await writeGguf(file, {
    metadata: new Map<string, GgufValue>([
      ["general.type", text("adapter")],
      ["general.architecture", text(architecture)],
      ["adapter.type", text("lora")],
      ...(invocation === undefined ? [] : ([["adapter.alora.invocation_tokens", invocation]] as const)),
    ]),
    tensors: [half("lora_a", 1, [inputs, rank]), half("lora_b", 2, [rank, outputs])],
  });
  return file;
}

/** A prime number of values, so that the repetitions never align with rows. */
const waves = Float32Array.from({ length: 1021 }, (_, i) => Math.sin((i + 1) * 1.7));

function wave(seed: number, count: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: count }, (_, i) => waves[(seed * 131 + i) % waves.length] ?? 0);
}

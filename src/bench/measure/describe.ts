// Describes a model before it is measured: its size, and a prompt of the requested length.
import { createEngine, type Engine, type Gpu, type ModelInfo, type SystemInfo } from "../../index.js";

export interface DescribeRequest {
  /** A GGUF file, or "hf:user/repo:quant"; undefined for the bundled model. */
  readonly model?: string;
  readonly gpu: Gpu;
  /** 0: the engine's choice. */
  readonly threads: number;
  readonly promptTokens: number;
}

export interface Description {
  readonly info: ModelInfo;
  readonly system: SystemInfo;
  /** A text of about the requested number of tokens of this model. */
  readonly prompt: string;
  readonly promptTokens: number;
  /** The token ids, for contenders that do not tokenize. */
  readonly promptIds: readonly number[];
}

const text =
  "A plain description of the weather on the coast, the wind, the light and the sea, hour by hour, from the first grey " +
  "of the morning to the lamps of the boats at night, and what the people of the harbour make of it. ";

export async function describe({ model, gpu, threads, promptTokens }: DescribeRequest): Promise<Description> {
  const small = { contextSize: 256, parallel: 1 };
  const engine = await createEngine({ ...(model !== undefined && { model }), gpu, threads, ...small });
  try {
    return await describeModel(engine, promptTokens);
  } finally {
    await engine.close();
  }
}

/** Describes the only model of an engine. */
export async function describeModel(engine: Engine, promptTokens: number): Promise<Description> {
  const [info] = engine.models.list();
  if (info === undefined) throw new Error("the engine has no model");
  // A real vocabulary has one token for about four letters of this text, a synthetic one has a token per letter.
  const long = await engine.models.tokenize(undefined, text.repeat(Math.ceil(promptTokens / 32)));
  const prompt = await engine.models.detokenize(undefined, long.slice(0, promptTokens));
  const tokens = await engine.models.tokenize(undefined, prompt, { addSpecial: true });
  return { info, system: engine.systemInfo(), prompt, promptTokens: tokens.length, promptIds: tokens };
}

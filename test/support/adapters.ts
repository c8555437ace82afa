// Script models with LoRA adapters.
import path from "node:path";
import type { Engine, EngineOptions } from "../../src/index.js";
import { type ScriptReply, writeScriptModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "./engine.js";

/** The replies of each adapter, by its name. */
export type Adapted = Readonly<Record<string, readonly ScriptReply[]>>;

export interface AdaptedModel {
  readonly model: string;
  /** The file of an adapter. */
  readonly file: (name: string) => string;
}

/** Writes a model, and a LoRA for each name. */
export async function adaptedModel(replies: readonly ScriptReply[], said: Adapted): Promise<AdaptedModel> {
  const folder = await tempDir();
  const file = (name: string): string => path.join(folder, `${name}.gguf`);
  const adapters = Object.entries(said).map(([name, own]) => ({ path: file(name), replies: own }));
  await writeScriptModel(file("model"), { replies, adapters, contextLength: 65_536 });
  return { model: file("model"), file };
}

/** Opens an engine with that model, its adapters loaded under their names. */
export async function openAdapted(
  replies: readonly ScriptReply[],
  said: Adapted,
  options: EngineOptions = {},
): Promise<{ readonly engine: Engine } & AdaptedModel> {
  const made = await adaptedModel(replies, said);
  const engine = await openEngine([], { model: made.model, ...options });
  for (const name of Object.keys(said)) await engine.adapters.load(name, { path: made.file(name) });
  return { engine, ...made };
}

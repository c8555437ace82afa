// Engines for models with one chat template of llama.cpp.
import path from "node:path";
import { type ScriptReply, writeScriptModel } from "../../../src/testing/index.js";
import { openEngine, tempDir } from "../engine.js";
import { templateSource } from "./template-files.js";

/**
 * An engine, and a function that loads a model with the template and these replies into it. The model "plain", without
 * replies, is loaded.
 */
export async function engineWith(template: string) {
  const folder = await tempDir();
  const chatTemplate = templateSource(template);
  const engine = await openEngine([], { models: {} });
  const load = async (id: string, replies: readonly ScriptReply[]): Promise<void> => {
    const file = path.join(folder, `${id}.gguf`);
    await writeScriptModel(file, { chatTemplate, replies, contextLength: 8192, overruled: true });
    await engine.models.load(id, { path: file, parallel: 1, contextSize: 8192, threads: 1 });
  };
  await load("plain", []);
  return { engine, load };
}

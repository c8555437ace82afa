// The folder of real models: LLAMA_HOOKS_REAL_MODELS, or one in the user's cache. Must not: create it.
import { homedir } from "node:os";
import { join } from "node:path";

const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");

export const realModelsFolder = process.env.LLAMA_HOOKS_REAL_MODELS || join(cache, "llama-hooks", "real-models");

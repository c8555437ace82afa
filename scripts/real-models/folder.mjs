// The folder of real models in the user's cache. Must not: create it.
import { homedir } from "node:os";
import { join } from "node:path";

export const realModelsFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "llama-hooks",
  "real-models",
);

// How the addon of this clone was built. Must not: build or load it.
import { readFileSync } from "node:fs";

const record = new URL("../../build/Release/llama_hooks.json", import.meta.url);

/** Whether llama.cpp was compiled with it (LLAMA_HOOKS_LLAMA=source): what packages bring does not go with that. */
export const isFromSource = (JSON.parse(readFileSync(record, "utf8")) as { llama: string }).llama === "source";

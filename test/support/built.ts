// The build options of this clone's addon.
import { readFileSync } from "node:fs";

const record = new URL("../../build/Release/llama_hooks.json", import.meta.url);

/** True if llama.cpp was compiled with the addon (LLAMA_HOOKS_LLAMA=source): prebuilt packages do not fit that. */
export const isFromSource = (JSON.parse(readFileSync(record, "utf8")) as { llama: string }).llama === "source";

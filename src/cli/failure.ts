// What went wrong, in the words that every command has for it. Must not: print it.
import { LlamaHooksError } from "../index.js";

/** `FAILED` stands for what is no error of the engine: a module that throws, say. */
export function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof LlamaHooksError ? error.code : "FAILED";
  return { code, message: error instanceof Error ? error.message : String(error) };
}

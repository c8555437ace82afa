// Writes the models of the checks: one that says a sentence, and one whose answers have no end.
import { mkdirSync } from "node:fs";
import { writeScriptModel } from "llama-hooks/testing";

mkdirSync("models", { recursive: true });
await writeScriptModel("models/own.gguf", { replies: ["I am your own."] });
await writeScriptModel("endless.gguf", { replies: [{ text: " la di da", endless: true }] });

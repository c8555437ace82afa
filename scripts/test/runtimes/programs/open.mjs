// Ends by itself, though its engine is not closed.
import { createEngine } from "llama-hooks";

const engine = await createEngine({ gpu: false, threads: 1 });
console.log((await engine.generate("Hello!", { temperature: 0 })).text);

// Runs an engine in a separate process, which is killed while tokens arrive and is then started again.
import { createEngine } from "llama-hooks";

const engine = await createEngine({ model: "endless.gguf", gpu: false, threads: 1, isolation: "process" });
const short = async () => (await engine.generate("go", { maxTokens: 4 })).text;
console.log(await short());
const kill = () => void process.kill(engine.systemInfo().process, "SIGKILL");
engine.hooks.on("streamToken", kill, { once: true });
console.log(await engine.generate("go", { maxTokens: 3000 }).catch(({ code }) => code));
console.log(await short());
await engine.close();

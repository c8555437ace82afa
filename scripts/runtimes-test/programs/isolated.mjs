// An engine in a process of its own, which is killed while tokens come and started again.
import { createEngine } from "llama-hooks";

const engine = await createEngine({ model: "endless.gguf", gpu: false, threads: 1, isolation: "process" });
const short = async () => (await engine.generate("go", { maxTokens: 4 })).text;
console.log(await short());
const kill = engine.hooks.on("streamToken", () => {
  const { process: pid } = engine.systemInfo();
  if (pid !== null) process.kill(pid, "SIGKILL");
});
console.log(await engine.generate("go", { maxTokens: 3000 }).catch(({ code }) => code));
kill[Symbol.dispose]();
console.log(await short());
await engine.close();

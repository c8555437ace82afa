// One piece of work that writes a file: `node file-work.mjs save|record|pull FOLDER [ADDRESS]`. Prints "done", or the
// code of the error, and ends with 0 in both cases.
import { join } from "node:path";
import { bundledModel, createEngine, downloadModel, LlamaHooksError, recordRun } from "../../dist/index.js";

const [kind, folder, address] = process.argv.slice(2);
const history = [
  { role: "user", content: "x".repeat(20_000) },
  { role: "assistant", content: "Hello" },
];

async function withSession(work) {
  const engine = await createEngine({ model: bundledModel, threads: 1, lazy: true, gpu: false });
  const session = engine.session({ history });
  try {
    await work(session);
  } finally {
    await engine.close();
  }
}

const works = {
  save: () => withSession((session) => session.save(join(folder, "session.json"))),
  record: () => withSession((session) => recordRun(session).save(join(folder, "recording.json"))),
  pull: () => downloadModel(address, { cacheFolder: folder }),
};

try {
  await works[kind]();
  console.log("done");
} catch (error) {
  if (!(error instanceof LlamaHooksError)) throw error;
  console.log(`${error.code} ${error.message}`);
}

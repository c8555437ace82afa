// Without the package of the platform the error says so, and takes this system for what it is.
import { renameSync } from "node:fs";
import { createEngine } from "llama-hooks";

const folder = "node_modules/@llama-hooks";
renameSync(folder, `${folder}.away`);
try {
  await createEngine();
} catch ({ code }) {
  console.log(code);
} finally {
  renameSync(`${folder}.away`, folder);
}

// An application in an archive of Electron: JavaScript finds every file in app.asar, but the system's loader, llama.cpp
// and other processes find only those beside it. Here app.asar is a folder in which these files cannot be used.
import { cp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { node, quiet } from "../fixtures/child.js";
import { isFromSource } from "../support/built.js";
import { installed } from "../support/installed.js";

/** Packages the application, with these folders of node_modules beside the archive. */
async function packaged(...unpacked: string[]): Promise<string> {
  const project = await installed();
  const archive = path.join(path.dirname(project), "app.asar");
  await rename(project, archive);
  for (const folder of ["@llama-hooks", "llama-hooks/models"]) {
    const place = path.join("node_modules", folder);
    if (unpacked.includes(folder)) {
      await cp(path.join(archive, place), path.join(`${archive}.unpacked`, place), { recursive: true });
    }
    for (const name of await readdir(path.join(archive, place), { recursive: true })) {
      const file = path.join(archive, place, name);
      if (!/\.(?:node|so|gguf)[.\d]*$|_host$/.test(name) || !(await stat(file)).isFile()) continue;
      await rm(file); // a link to the clone's own
      await writeFile(file, "in an archive");
    }
  }
  return archive;
}

const program = `
import { createEngine } from "llama-hooks";
const said = [];
try {
  for (const isolation of ["none", "process"]) {
    const engine = await createEngine({ gpu: false, threads: 1, ...(isolation === "process" && { isolation }) });
    said.push((await engine.generate("Hello!", { temperature: 0 })).text);
    await engine.close();
  }
} catch ({ code, message }) {
  said.push(code, message.replace(/^.*: list /, ""));
}
console.log(JSON.stringify(said));
`;

async function run(archive: string): Promise<unknown> {
  const file = path.join(archive, "main.mjs");
  await writeFile(file, program);
  const { stdout, ...end } = await node([file]);
  expect(end).toEqual(quiet(0));
  return JSON.parse(stdout);
}

const hello = "Hello! How can I help you?";

test.skipIf(isFromSource)(
  "the addon, its libraries, the process of an engine and the model are those beside the archive",
  async () => {
    expect(await run(await packaged("@llama-hooks", "llama-hooks/models"))).toEqual([hello, hello]);
  },
);

test.skipIf(isFromSource)("an addon inside the archive is an error that says what to unpack", async () => {
  const [code, message] = (await run(await packaged("llama-hooks/models"))) as string[];
  expect([code, message]).toEqual([
    "ADDON_NOT_LOADED",
    '"node_modules/@llama-hooks/**" and "node_modules/@node-llama-cpp/**" in asarUnpack',
  ]);
});

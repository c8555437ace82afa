import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as source from "../../src/index.js";
import * as aiSdk from "../../src/ai-sdk/index.js";
import * as hooks from "../../src/ready-hooks/index.js";
import * as inspector from "../../src/inspector/index.js";
import * as mcp from "../../src/mcp/index.js";
import * as otel from "../../src/otel/index.js";
import * as server from "../../src/server/index.js";
import * as testing from "../../src/testing/index.js";
import { node, quiet } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A user's project with the package in its node_modules, and a program in it. */
async function project(file: string, code: string): Promise<string> {
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"));
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  await writeFile(path.join(folder, file), code);
  return path.join(folder, file);
}

test("importing the package prints nothing, loads no addon and keeps no process alive", async () => {
  const code = `
    const begin = performance.now();
    await import("llama-hooks");
    await import("llama-hooks/hooks");
    await import("llama-hooks/server");
    await import("llama-hooks/inspector");
    await import("llama-hooks/ai-sdk");
    await import("llama-hooks/mcp");
    await import("llama-hooks/otel");
    await import("llama-hooks/testing");
    const ms = performance.now() - begin;
    const shared = process.report.getReport().sharedObjects;
    console.log(JSON.stringify({ native: shared.filter((file) => /llama|ggml/.test(file)), ms }));`;
  const { stdout, ...end } = await node([await project("main.mjs", code)]);
  const { native, ms } = JSON.parse(stdout) as { native: string[]; ms: number };
  expect([end, native]).toEqual([quiet(0), []]);
  console.log(`importing llama-hooks and its subpaths took ${ms.toFixed(0)} ms`);
});

test("each subpath has the names that its source has", async () => {
  const code = `
    const names = async (entry) => Object.keys(await import(entry)).sort();
    const entries = ["llama-hooks", "llama-hooks/hooks", "llama-hooks/server", "llama-hooks/inspector", "llama-hooks/ai-sdk", "llama-hooks/mcp", "llama-hooks/otel", "llama-hooks/testing"];
    console.log(JSON.stringify(await Promise.all(entries.map(names))));`;
  const { stdout, ...end } = await node([await project("main.mjs", code)]);
  expect(end).toEqual(quiet(0));
  expect(JSON.parse(stdout)).toEqual(
    [source, hooks, server, inspector, aiSdk, mcp, otel, testing].map((names) => Object.keys(names).sort()),
  );
});

test("a CommonJS program gets the package with require(), generates, and ends", async () => {
  const model = await scriptModel(["Hello there."]);
  const code = `
    const { createEngine, cancel } = require("llama-hooks");
    const { redact } = require("llama-hooks/hooks");
    const { writeScriptModel } = require("llama-hooks/testing");
    const { version } = require("llama-hooks/package.json");
    (async () => {
      const engine = await createEngine({ model: ${JSON.stringify(model)}, gpu: false, threads: 1 });
      engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
      engine.hooks.use(redact("HELLO", { mask: "Bye" }));
      console.log((await engine.generate("hi")).text, typeof cancel, typeof writeScriptModel, typeof version);
    })();`;
  const file = await project("main.cjs", code);
  const { stdout, ...end } = await node(["--disable-warning=ExperimentalWarning", file]);
  expect(end).toEqual(quiet(0));
  expect(stdout).toBe("Bye THERE. function function string\n");
});

test("what is not exported cannot be imported", async () => {
  const code = `
    for (const inner of ["llama-hooks/dist/native/addon.js", "llama-hooks/src/index.ts", "llama-hooks/build/Release/llama_hooks.node"])
      await import(inner).catch(({ code }) => console.log(code));`;
  const { stdout, ...end } = await node([await project("main.mjs", code)]);
  expect(end).toEqual(quiet(0));
  expect(stdout).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n".repeat(3));
});

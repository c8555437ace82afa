import { stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type ScriptModelOptions, writeScriptModel } from "../../src/testing/index.js";
import { tempDir } from "../support/engine.js";

const chatTemplate = "{% for message in messages %}{{ message.content }}{% endfor %}";

test.each<[named: string, options: unknown]>([
  ["options", "hello"],
  ["reply", { reply: ["a"] }],
  ["replies", {}],
  ["replies", { replies: "hello" }],
  ["replies[1]", { replies: ["a", 7] }],
  ["replies[0]", { replies: [{ txet: "a" }] }],
  ["replies[0].text", { replies: [{ text: 7 }] }],
  ["replies[0].reasoning", { replies: [{ reasoning: null }] }],
  ["replies[0].split", { replies: [{ text: "a", split: "lines" }] }],
  ["replies[0].endless", { replies: [{ text: "a", endless: "yes" }] }],
  ["replies[0]", { replies: [{ text: "", endless: true }] }],
  ["replies[0].toolCalls", { replies: [{ toolCalls: {} }] }],
  ["replies[0].toolCalls[0]", { replies: [{ toolCalls: [{ name: "look" }] }] }],
  ["replies[0].pieces", { replies: [{ pieces: "abc" }] }],
  ["replies[0].pieces[1]", { replies: [{ pieces: ["a", 7] }] }],
  ["afterLast", { replies: [], afterLast: "stop" }],
  ["scripts", { replies: [], scripts: {} }],
  ["scripts[0].when", { replies: [], scripts: [{ replies: [] }] }],
  ["scripts[0].when", { replies: [], scripts: [{ when: "", replies: [] }] }],
  ["scripts[0].replies", { replies: [], scripts: [{ when: "a" }] }],
  ["scripts[0].replies[0]", { replies: [], scripts: [{ when: "a", replies: [{ text: "", endless: true }] }] }],
  // Lists with a hole.
  ["replies[0]", { replies: Array(1) }],
  ["adapters[0]", { replies: ["a"], adapters: Array(1) }],
  [
    "adapters[0].invocationTokens[0]",
    { replies: ["a"], adapters: [{ path: "x", replies: ["a"], invocationTokens: Array(1) }] },
  ],
  ["contextLength", { replies: [], contextLength: 0 }],
  ["name", { replies: [], name: 7 }],
  ["chatTemplate", { replies: [], chatTemplate: 7 }],
  ["chatTemplate", { replies: [], chatTemplate: "" }],
  ["chatTemplate", { replies: [], chatTemplate, scripts: [{ when: "a", replies: [] }] }],
  ["replies[0].toolCalls", { replies: [{ toolCalls: [{ name: "look", args: {} }] }], chatTemplate }],
  ["replies[0].reasoning", { replies: [{ reasoning: "Hm." }], chatTemplate }],
])("a bad option is a TypeError that names it: %s %j", async (named, options) => {
  const written = writeScriptModel(`${await tempDir()}/script.gguf`, options as ScriptModelOptions);
  const error: unknown = await written.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as TypeError).message).toContain(named);
});

test("a path that is none is a TypeError", async () => {
  await expect(writeScriptModel("", { replies: [] })).rejects.toThrow(TypeError);
});

test.skipIf(process.platform === "win32")("who may read a model is for the process's mask to say", async () => {
  const file = path.join(await tempDir(), "shared.gguf");
  await writeScriptModel(file, { replies: ["Hi."] });
  const mask = process.umask();
  expect((await stat(file)).mode & 0o777).toBe(0o666 & ~mask);
});

test("a model and its adapters have a file each", async () => {
  const folder = await tempDir();
  const replies = ["a"];
  const adapter = { path: `${folder}/x.gguf`, replies };
  for (const adapters of [[adapter, adapter], [{ ...adapter, path: `${folder}/./model.gguf` }]])
    await expect(writeScriptModel(`${folder}/model.gguf`, { replies, adapters })).rejects.toThrow(/two of them use/);
});

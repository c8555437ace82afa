// `llama-hooks pull` and `models`, and what `run` shows of a model that it has to fetch first.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { type Child, cliCommand, type Ended, jsonLines, start } from "../fixtures/child.js";
import { startOnTerminal } from "../fixtures/terminal.js";
import { gguf } from "../support/downloads.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { type HubServer, hubServer } from "../support/hub-server.js";

const [node, main] = cliCommand;
const name = "hf:user/repo:Q4_K_M";

async function setUp(files: Readonly<Record<string, Buffer>>) {
  const hub: HubServer = await hubServer(files);
  const cache = await tempDir();
  const env = { HF_ENDPOINT: hub.endpoint, LLAMA_HOOKS_CACHE: cache };
  const begin = (...args: string[]): Child => start(node, [main, ...args], env);
  const cli = (...args: string[]): Promise<Ended> => begin(...args).ended;
  return { hub, cache, cli, begin };
}

test("pull tells how far it is and prints where the model lies; models lists it, rm removes it", async () => {
  const bytes = await readFile(await scriptModel(["Hello."]));
  const { cache, cli, hub } = await setUp({ "script-Q4_K_M.gguf": bytes });
  const pulled = await cli("pull", name);
  const file = path.join(cache, "models/hub/user/repo/main/script-Q4_K_M.gguf");
  expect([pulled.code, pulled.stdout]).toEqual([0, `${file}\n`]);
  expect(pulled.stderr).toMatch(/^fetching script-Q4_K_M\.gguf: [\d.]+ kB of [\d.]+ kB, 100 %\n$/m);
  expect((await cli("pull", name)).stderr).toBe("");
  expect(hub.asked).toHaveLength(1);

  const listed = await cli("models");
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(/^hf:user\/repo:Q4_K_M {2}[\d.]+ kB {2}llama {2}\d+ tokens\n$/),
  ]);
  expect(jsonLines((await cli("models", "--json")).stdout)).toMatchObject([
    { name, path: file, architecture: "llama" },
  ]);
  expect((await cli("models", "rm", name)).stdout).toMatch(/^removed hf:user\/repo:Q4_K_M, [\d.]+ kB\n$/);
  expect((await cli("models")).stdout).toBe("no models have been fetched\n");
  const gone = await cli("models", "rm", name);
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringMatching(/^llama-hooks: hf:user\/repo:Q4_K_M is not in .* \(NOT_FOUND\)\n$/),
  ]);
});

test("pull that is interrupted says so, and keeps what has come", async () => {
  const { hub, begin, cli } = await setUp({
    "m-Q4_K_M.gguf": gguf(8_000_000),
  });
  hub.misbehave({ pauseMs: 20 });
  const child = begin("pull", name);
  let seen = "";
  await new Promise<void>((resolve) => {
    child.process.stderr?.on("data", (text: string) => {
      seen += text;
      if (seen.includes(" %")) resolve();
    });
  });
  child.process.kill("SIGINT");
  const { code, stderr } = await child.ended;
  expect([code, stderr]).toEqual([130, expect.stringMatching(/interrupted; the next download continues from here\n$/)]);
  hub.misbehave({});
  expect((await cli("pull", name)).code).toBe(0);
  expect(hub.asked[1]).toMatch(/^bytes=\d+-$/);
});

test("what cannot be fetched is one line with the reason, and exit code 1", async () => {
  const { cli } = await setUp({ "m-Q8_0.gguf": Buffer.from("GGUF") });
  const { code, stdout, stderr } = await cli("pull", name);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    "llama-hooks: hf:user/repo:Q4_K_M could not be downloaded: user/repo has no GGUF of Q4_K_M; there are m-Q8_0.gguf (DOWNLOAD_FAILED)\n",
  );
  expect((await cli("pull")).code).toBe(2);
});

test("a file that its server has truncated is exit code 1, and is not listed", async () => {
  const whole = await readFile(await scriptModel(["Hello."]));
  const { cli } = await setUp({ "m-Q4_K_M.gguf": whole.subarray(0, whole.length / 2) });
  const { code, stdout, stderr } = await cli("pull", name);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /did not send a complete GGUF file: it has \d+ bytes, and its tensors end at \d+ \(DOWNLOAD_FAILED\)\n$/,
  );
  expect((await cli("models", "--names")).stdout).toBe("");
});

test("a name that is none is one line with those that there are", async () => {
  const { cli } = await setUp({});
  for (const args of [
    ["pull", "llama3.2"],
    ["run", "hi", "--model", "llama3.2"],
  ]) {
    const { code, stderr } = await cli(...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^llama-hooks: .*llama3\.2.* hf:user\/repo:quant .*\n$/)]);
  }
});

test("a wrong variable of the environment is a failure that names it", async () => {
  for (const [variable, value] of [
    ["HF_ENDPOINT", "no address"],
    ["HF_TOKEN", "no token"],
  ] as const) {
    const { code, stdout, stderr } = await start(node, [main, "pull", name], { [variable]: value }).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^llama-hooks: ${variable}: .* \\(INVALID_ARGUMENT\\)\n$`));
  }
});

test("on a terminal the lines of an error are broken between words alone", async () => {
  const long = `/nowhere/${"a-long-name-".repeat(8)}`;
  for (const args of [
    ["pull", "llama3.2"],
    ["run", "hi", "--model", long],
    ["run", "--gpu", "abacus"],
  ]) {
    const child = startOnTerminal(args, {}, undefined, 80);
    if (child === undefined) return;
    const lines = stripVTControlCharacters((await child.ended).stdout)
      .trim()
      .split("\r\n");
    const { stderr } = await start(node, [main, ...args]).ended;
    expect(lines.flatMap((line) => line.split(" "))).toEqual(stderr.trim().split(" "));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.length > 80 && line.includes(" "))).toEqual([]);
  }
});

test("run fetches the model that it is given by name, and tells", async () => {
  const { cli } = await setUp({ "script-Q4_K_M.gguf": await readFile(await scriptModel(["I came by name."])) });
  const run = (...more: string[]) =>
    cli("run", "--model", name, "--prompt", "hi", "--gpu", "off", "--no-tools", ...more);
  const first = await run("--json");
  expect(first.stderr).toBe("");
  const lines = jsonLines(first.stdout);
  expect(lines[0]).toMatchObject({ type: "download", name, file: "script-Q4_K_M.gguf" });
  expect(lines.at(-1)).toMatchObject({ type: "end", text: "I came by name." });
  const second = await run();
  expect([second.code, second.stdout]).toEqual([0, "I came by name.\n"]);
  expect(second.stderr).not.toContain("fetching");
});

// engine.models.probe(): an unknown file is tried in a child process.
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { bundledModel, type Engine, type LlamaHooksError, type ProbeOptions } from "../../src/index.js";
import { writeEmbeddingModel } from "../../src/testing/index.js";
import { stickLibrary, whyNotStuck } from "../fixtures/stick.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";

const open = (): Promise<Engine> => openEngine([], { models: {} });

/** The child processes of this one. */
function children(): number[] {
  const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

test("a model that works is described as load() describes it, and is not loaded", async () => {
  const engine = await open();
  const options = { path: bundledModel, contextSize: 256, threads: 1 };
  const probed = await engine.models.probe(options);
  expect(engine.models.list()).toEqual([]);
  const { loadMs: _, ...same } = await engine.models.load("probe", options);
  expect(probed).toMatchObject(same);
});

test("a model that only embeds is tried, too", async () => {
  const engine = await open();
  const file = path.join(await tempDir(), "embedder.gguf");
  await writeEmbeddingModel(file);
  expect(await engine.models.probe(file)).toMatchObject({ modelId: "probe", path: file });
});

test("a file that load() refuses is refused with the same error", async () => {
  const engine = await open();
  const file = path.join(await tempDir(), "cut.gguf");
  await writeFile(file, (await readFile(bundledModel)).subarray(0, 200_000));
  const refused = (await rejection(engine.models.load("cut", { path: file }))) as LlamaHooksError;
  expect(refused.code).toBe("MODEL_FILE_INVALID");
  expect(await rejection(engine.models.probe(file))).toMatchObject({ code: refused.code, message: refused.message });
  expect(await rejection(engine.models.probe(`${file}.gone`))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
});

describe.skipIf(whyNotStuck)(`a child that is stuck in the load${whyNotStuck && ` (skipped: ${whyNotStuck})`}`, () => {
  let library = "";
  beforeAll(async () => {
    const made = await stickLibrary();
    library = made.library;
    return made.remove;
  });

  /** Begins a probe whose child sticks, and gives the child. */
  async function stuck(engine: Engine, control: ProbeOptions = {}) {
    const before = children();
    vi.stubEnv("LD_PRELOAD", library).stubEnv("STICK_LOAD", "tiny-agent");
    const probe = rejection(engine.models.probe(bundledModel, control));
    await expect.poll(() => children().length).toBeGreaterThan(before.length);
    vi.unstubAllEnvs();
    return { probe, child: children().find((pid) => !before.includes(pid)) as number };
  }

  test.each(["SIGSEGV", "SIGABRT", "SIGKILL"] as const)(
    "%s there leaves this process and its engine alone",
    async (signal) => {
      const engine = await open();
      const { probe, child } = await stuck(engine);
      process.kill(child, signal);
      const error = (await probe) as LlamaHooksError;
      expect(error.code).toBe("ENGINE_CRASHED");
      expect(error.message).toContain(`${bundledModel}: the process that loaded it crashed (${signal})`);
      expect(error.details).toMatchObject({ file: bundledModel, exitCode: null, signal });
      await engine.models.load("default", { path: bundledModel, contextSize: 256 });
      expect((await engine.models.probe(bundledModel)).modelId).toBe("probe");
    },
  );

  test("is ended at its limit", async () => {
    const { probe } = await stuck(await open(), { timeoutMs: 1000 });
    expect(await probe).toMatchObject({
      code: "ENGINE_CRASHED",
      message: expect.stringContaining("had not answered after 1000 ms") as string,
    });
  });

  test("is ended by an abort, which rejects as cancelled", async () => {
    const engine = await open();
    const stop = new AbortController();
    const { probe, child } = await stuck(engine, { signal: stop.signal });
    stop.abort("enough");
    expect(await probe).toMatchObject({ code: "CANCELLED", cause: "enough" });
    expect(children()).not.toContain(child);
    expect(await rejection(engine.models.probe(bundledModel, { signal: stop.signal }))).toMatchObject({
      code: "CANCELLED",
    });
  });
});

test("misuse is a TypeError, and a closed engine probes nothing", async () => {
  const engine = await open();
  for (const [model, control] of [
    ["", undefined],
    [5, undefined],
    [bundledModel, { timeoutMs: -1 }],
    [bundledModel, { signal: 5 }],
    [bundledModel, { limit: 1 }],
  ] as never[][]) {
    expect(await rejection(engine.models.probe(model as never, control as never))).toBeInstanceOf(TypeError);
  }
  await engine.close();
  expect(await rejection(engine.models.probe(bundledModel))).toMatchObject({ code: "CLOSED" });
});

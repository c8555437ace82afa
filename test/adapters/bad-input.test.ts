import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type AdapterChoice, type AdapterOptions, type Engine, LlamaHooksError } from "../../src/index.js";
import { adaptedModel, openAdapted } from "../support/adapters.js";
import { rejection } from "../support/engine.js";

const replies = ["Plain."];
const said = { pirate: ["Ahoy!"] };
const pirate = [{ id: "pirate" }];

async function works(engine: Engine): Promise<void> {
  expect((await engine.generate("Hi")).text).toBe("Plain.");
  expect((await engine.generate("Hi", { adapters: pirate })).text).toBe("Ahoy!");
}

/** The bytes with `from`, wherever it stands, replaced by a text as long. */
function edited(bytes: Buffer, from: string, to: string): Buffer {
  expect([from.length, bytes.includes(from)]).toEqual([to.length, true]);
  return Buffer.from(bytes.toString("latin1").replaceAll(from, to), "latin1");
}

describe("a file that is not an adapter for the model is a coded error that says what is wrong", () => {
  test.each<[string, (good: Buffer) => Buffer, string, string]>([
    ["no GGUF", () => Buffer.from("hello, hello, hello"), "MODEL_FILE_INVALID", "GGUF"],
    ["an empty file", () => Buffer.alloc(0), "MODEL_FILE_INVALID", ""],
    ["a file that was cut off", (good) => good.subarray(0, good.length - 100), "MODEL_FILE_INVALID", ""],
    [
      "another kind of file",
      (good) => edited(good, "\x07\0\0\0\0\0\0\0adapter", "\x07\0\0\0\0\0\0\0adaptor"),
      "MODEL_FILE_INVALID",
      "general.type",
    ],
    ["another kind of adapter", (good) => edited(good, "lora", "cvec"), "MODEL_FILE_INVALID", "adapter.type"],
    ["half a change", (good) => edited(good, "lora_b", "lora_c"), "MODEL_FILE_INVALID", "lora_c"],
    [
      "a change of no tensor of the model",
      (good) => edited(good, "token_embd", "token_embx"),
      "ADAPTER_INCOMPATIBLE",
      "token_embx",
    ],
    ["another architecture", (good) => edited(good, "llama", "gemma"), "ADAPTER_INCOMPATIBLE", "gemma"],
  ])("%s", async (_, edit, code, words) => {
    const { engine, file } = await openAdapted(replies, said);
    const errors: unknown[] = [];
    engine.hooks.on("error", ({ code: errorCode, where }) => void errors.push([errorCode, where]));
    const bad = file("bad");
    await writeFile(bad, edit(await readFile(file("pirate"))));
    const failure = await rejection(engine.adapters.load("bad", { path: bad }));
    expect(failure).toBeInstanceOf(LlamaHooksError);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
    expect((failure as Error).message).toContain(bad);
    expect(errors).toEqual([[code, "adapter"]]);
    expect(engine.adapters.list().map(({ adapterId }) => adapterId)).toEqual(["pirate"]);
    await works(engine);
  });

  test("a model, a missing file, and an adapter of another model", async () => {
    const { engine, model, file } = await openAdapted(replies, said);
    const other = await adaptedModel(["Something else, and much longer."], { robot: ["Beep, beep."] });
    const load = (path: string): Promise<unknown> => rejection(engine.adapters.load("bad", { path }));
    expect(await load(model)).toMatchObject({ code: "MODEL_FILE_INVALID" });
    expect(await load(file("nowhere"))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
    expect(await load(other.file("robot"))).toMatchObject({
      code: "ADAPTER_INCOMPATIBLE",
      message: expect.stringContaining("token_embd.weight"),
    });
    await works(engine);
  });
});

test("no damage to an adapter's file ends the process: each is refused with a code, or runs", async () => {
  const { engine, file } = await openAdapted(replies, said);
  const good = await readFile(file("pirate"));
  const path = file("damaged");
  const codes = new Set<string>();
  // Each byte of the header gets two other values. The whole header lies before the data.
  const header = good.indexOf("token_embd.weight.lora_b") + 64;
  for (let at = 0; at < header; at++) {
    for (const value of [0xff, (good[at] ?? 0) ^ 1]) {
      const bytes = Buffer.from(good);
      bytes[at] = value;
      await writeFile(path, bytes);
      const outcome = await engine.adapters.load("damaged", { path }).catch((error: unknown) => error);
      if (outcome instanceof LlamaHooksError) {
        codes.add(outcome.code);
        continue;
      }
      await engine.generate("Hi", { adapters: [{ id: "damaged" }], maxTokens: 2 });
      await engine.adapters.unload("damaged");
    }
  }
  expect([...codes].toSorted()).toEqual(["ADAPTER_INCOMPATIBLE", "MODEL_FILE_INVALID"]);
  await works(engine);
}, 120_000);

test("names that are taken, unknown or of something closed are coded errors", async () => {
  const { engine, file } = await openAdapted(replies, said);
  const path = file("pirate");
  expect(await rejection(engine.adapters.load("pirate", { path }))).toMatchObject({ code: "ADAPTER_IN_USE" });
  const twice = [engine.adapters.load("new", { path }), engine.adapters.load("new", { path })];
  const outcomes = await Promise.all(twice.map((one) => one.then(() => "loaded").catch((error: unknown) => error)));
  expect(outcomes).toContainEqual("loaded");
  expect(outcomes).toContainEqual(expect.objectContaining({ code: "ADAPTER_IN_USE" }));
  const elsewhere = engine.adapters.load("x", { path, model: "absent" });
  expect(await rejection(elsewhere)).toMatchObject({ code: "MODEL_NOT_LOADED" });
  expect(await rejection(engine.adapters.unload("x"))).toMatchObject({ code: "NOT_FOUND" });
  const session = engine.session();
  const ghost = engine.adapters.swap(session, [{ id: "x" }]);
  expect(await rejection(ghost)).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining('"x"') });
  expect((await session.run("Hi")).text).toBe("Plain.");
  await session.close();
  expect(await rejection(engine.adapters.swap(session, pirate))).toMatchObject({ code: "NOT_FOUND" });
  await works(engine);
  await engine.close();
  expect(await rejection(engine.adapters.load("y", { path }))).toMatchObject({ code: "CLOSED" });
  expect(() => engine.adapters.list()).toThrow(expect.objectContaining({ code: "CLOSED" }) as unknown as Error);
});

test("misuse is a TypeError that names the option", async () => {
  const { engine, file } = await openAdapted(replies, said);
  const session = engine.session();
  const path = file("pirate");
  const load = (id: unknown, options: unknown) => engine.adapters.load(id as string, options as AdapterOptions);
  const swap = (of: unknown, list: unknown) => engine.adapters.swap(of as typeof session, list as AdapterChoice[]);
  const misuses: [() => Promise<unknown>, string][] = [
    [() => load("", { path }), "id"],
    [() => load("x", {}), "path"],
    [() => load("x", { path, scale: "1" }), "scale"],
    [() => load("x", { path, scale: 1001 }), "scale"],
    [() => load("x", { path, strength: 1 }), "strength"],
    [() => swap(session, undefined), "adapters"],
    [() => swap(session, ["pirate"]), "adapters"],
    [() => swap(session, [{ id: "pirate", scale: Number.NaN }]), "scale"],
    [() => swap(session, [{ id: "pirate" }, { id: "pirate" }]), "pirate"],
    [() => swap(undefined, []), "session"],
    [async () => engine.generate("Hi", { adapters: [{ scale: 1 }] as unknown as AdapterChoice[] }), "adapters[0].id"],
    [async () => engine.session({ adapters: "pirate" as unknown as AdapterChoice[] }), "adapters"],
  ];
  for (const [misuse, words] of misuses) {
    const failure = await rejection(misuse());
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as Error).message).toContain(words);
  }
  await works(engine);
});

import { expect, test } from "vitest";
import type { Engine, GenerateEvent, Generation } from "../../src/index.js";
import { quiet, script } from "../fixtures/child.js";
import { openEngine, scriptModel } from "../support/engine.js";

const endless = { pieces: ["la ", "di "], endless: true };
/** Far more tokens than may lie unread. */
const maxTokens = 2000;
const mostAhead = 700;

/** The number of tokens that the call of a tier has written so far. */
function countTokens(engine: Engine): (tier: string) => number {
  const counts = new Map<string | null, number>();
  const add = ({ meta }: { meta: { tier: string | null } }): void =>
    void counts.set(meta.tier, (counts.get(meta.tier) ?? 0) + 1);
  engine.hooks.on("streamToken", add, { observe: true });
  return (tier) => counts.get(tier) ?? 0;
}

/** Runs another call as long as the first to its end: one that is not held back is done by then, too. */
async function meanwhile(engine: Engine): Promise<void> {
  expect((await engine.generate("Sing", { maxTokens, tier: "meanwhile" })).usage.completionTokens).toBe(maxTokens);
}

async function rest(events: AsyncIterableIterator<GenerateEvent>): Promise<GenerateEvent[]> {
  const read: GenerateEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

const indexes = (events: readonly GenerateEvent[]): number[] =>
  events.flatMap((event) => (event.type === "token" ? [event.index] : []));

const all = Array.from({ length: maxTokens }, (_, index) => index);

/** A call whose reader has read one event and then has stopped, and that has had the time to get to its end. */
async function heldBack(
  engine: Engine,
): Promise<{ generation: Generation; reader: AsyncIterableIterator<GenerateEvent>; first: GenerateEvent }> {
  const generation = engine.generate("Sing", { maxTokens, tier: "held back" });
  const reader = generation[Symbol.asyncIterator]();
  const { value } = await reader.next();
  await meanwhile(engine);
  return { generation, reader, first: value as GenerateEvent };
}

test("a reader that stops holds back its own call, no other, and loses nothing when it reads on", async () => {
  const engine = await openEngine([endless]);
  const written = countTokens(engine);
  const { reader, first } = await heldBack(engine);
  expect(written("meanwhile")).toBe(maxTokens);
  expect(written("held back")).toBeLessThan(mostAhead);
  const read = [first, ...(await rest(reader))];
  expect(indexes(read)).toEqual(all);
  expect(read.at(-1)).toMatchObject({ type: "end", result: { finishReason: "length" } });
});

test("of several readers the slowest holds back, and each gets every event", async () => {
  const engine = await openEngine([endless]);
  const written = countTokens(engine);
  const generation = engine.generate("Sing", { maxTokens, tier: "held back" });
  const slow = generation[Symbol.asyncIterator]();
  const quick = rest(generation[Symbol.asyncIterator]());
  const { value } = await slow.next();
  await meanwhile(engine);
  expect(written("held back")).toBeLessThan(mostAhead);
  expect(indexes([value as GenerateEvent, ...(await rest(slow))])).toEqual(all);
  expect(indexes(await quick)).toEqual(all);
});

test("when the slowest reader leaves, the others get the rest", async () => {
  const engine = await openEngine([endless]);
  const generation = engine.generate("Sing", { maxTokens });
  const slow = generation[Symbol.asyncIterator]();
  const quick = rest(generation[Symbol.asyncIterator]());
  await slow.next();
  await meanwhile(engine);
  await slow.return?.();
  expect(indexes(await quick)).toEqual(all);
});

test("an iteration that never asks for an event holds nothing back, and has every event in the end", async () => {
  const engine = await openEngine([endless]);
  const generation = engine.generate("Sing", { maxTokens });
  const reader = generation[Symbol.asyncIterator]();
  expect((await generation).usage.completionTokens).toBe(maxTokens);
  expect(indexes(await rest(reader))).toEqual(all);
});

test("who stops reading and awaits the result gets it", async () => {
  const engine = await openEngine([endless]);
  const { generation, reader, first } = await heldBack(engine);
  expect((await generation).finishReason).toBe("length");
  expect(indexes([first, ...(await rest(reader))])).toEqual(all);
});

test("a loop may await the result in its body", async () => {
  const engine = await openEngine([endless]);
  const generation = engine.generate("Sing", { maxTokens });
  const finishReasons = new Set<string>();
  for await (const event of generation) if (event.type === "token") finishReasons.add((await generation).finishReason);
  expect([...finishReasons]).toEqual(["length"]);
});

test("a call that is held back can be cancelled, and its reader gets what was written, and the end", async () => {
  const engine = await openEngine([endless]);
  const { generation, reader, first } = await heldBack(engine);
  generation.cancel("enough");
  const read = [first, ...(await rest(reader))];
  const end = read.at(-1);
  expect(end).toMatchObject({ type: "end", result: { cancel: { by: "caller", reason: "enough" } } });
  const streamed = read.flatMap((event) => (event.type === "token" ? [event.text] : [])).join("");
  expect(end?.type === "end" && end.result.text).toBe(streamed);
});

test("leaving an iteration that holds its call back ends the call", async () => {
  const engine = await openEngine([endless]);
  const { generation, reader } = await heldBack(engine);
  await reader.return?.();
  expect(await generation).toMatchObject({ finishReason: "cancelled" });
});

test("close() does not wait for a reader", async () => {
  const engine = await openEngine([endless]);
  const { reader } = await heldBack(engine);
  await engine.close();
  expect((await rest(reader)).at(-1)).toMatchObject({ type: "end", result: { finishReason: "cancelled" } });
});

test("events of a held stream wait for their reader, too, and none is lost", async () => {
  const engine = await openEngine([endless]);
  const generation = engine.generate("Sing", { maxTokens, stream: "held" });
  const seen: number[] = [];
  for await (const event of generation) {
    if (event.type === "token") seen.push(event.index);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen).toEqual(all);
});

const readOne = `
  const engine = await createEngine({ model, ...onCpu });
  const reader = engine.generate("Sing", { maxTokens: 2000 })[Symbol.asyncIterator]();
  await reader.next();
  await engine.generate("Sing", { maxTokens: 2000 });
  console.log("held back");`;

test("a reader that was forgotten does not keep the process alive", async () => {
  expect(await script(readOne, await scriptModel([endless]))).toEqual({ ...quiet(0), stdout: "held back\n" });
});

test("a process stays until a call whose reader has left it has ended", async () => {
  const code = readOne.replace(
    "const reader",
    `
    engine.hooks.on("postGenerate", ({ finishReason }) => console.log(finishReason));
    const reader`,
  );
  const ended = await script(`${code} reader.return();`, await scriptModel([endless]));
  expect(ended).toEqual({ ...quiet(0), stdout: "length\nheld back\ncancelled\n" });
});

test("a process may exit while a call is held back", async () => {
  const code = `${readOne} setInterval(() => {}, 1000); process.exit(3);`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(3), stdout: "held back\n" });
});

test("a worker may be terminated while its call is held back", async () => {
  const code = `
    import { Worker } from "node:worker_threads";
    import { pathToFileURL } from "node:url";
    const entry = JSON.stringify(import.meta.resolve("llama-hooks"));
    const inside = 'import { createEngine } from ' + entry + ';' +
      'import { parentPort, workerData as model } from "node:worker_threads"; const onCpu = { gpu: false, threads: 1 };' +
      ${JSON.stringify(readOne.replace('console.log("held back")', 'parentPort.postMessage("held back")'))} +
      'setInterval(() => {}, 1000);';
    const worker = new Worker(new URL("data:text/javascript," + encodeURIComponent(inside)), { workerData: model });
    worker.on("message", async (message) => { console.log(message); console.log(await worker.terminate()); });
    worker.on("error", (error) => console.log(error));`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(0), stdout: "held back\n1\n" });
});

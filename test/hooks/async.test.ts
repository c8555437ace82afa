import { expect, test } from "vitest";
import { cancel, type HookEventOf } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

/** The word that a conversation is about. */
function topic({ messages }: HookEventOf<"preGenerate">): string {
  return messages[0]?.content ?? "";
}

const topics = ["north", "south", "east", "west"];
const scripts = topics.map((when) => ({ when, replies: [{ pieces: ["go", ` ${when}`, " now"] }] }));

test("an async handler answers as a sync one does", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("postGenerate", async ({ content }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { content: content.toUpperCase() };
  });
  expect((await engine.generate("hi")).text).toBe("HELLO.");
});

test("any thenable is waited for", async () => {
  const engine = await openEngine(["Hello."]);
  const thenable = { then: (resolve: (value: unknown) => void) => setImmediate(() => resolve(cancel("later"))) };
  engine.hooks.on("preGenerate", (() => thenable) as never);
  expect((await engine.generate("hi")).cancel?.reason).toBe("later");
});

test("four generations at once each wait for hooks of their own and keep their texts apart", async () => {
  const engine = await openEngine({ replies: ["nowhere"], scripts }, { parallel: 4 });
  const waiting = new Map<string, () => void>();
  let allWait: (() => void) | undefined;
  const everybody = new Promise<void>((resolve) => (allWait = resolve));
  engine.hooks.on("preGenerate", async (event) => {
    const mine = new Promise<void>((resolve) => waiting.set(topic(event), resolve));
    if (waiting.size === topics.length) allWait?.();
    await mine;
    return { params: { ...event.params, seed: topics.indexOf(topic(event)) } };
  });
  engine.hooks.on("streamToken", async ({ text, meta }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { text: text === " now" ? ` ${meta.runId}` : text };
  });
  const ended: string[] = [];
  const results = topics.map(async (name) => {
    const result = await engine.generate(name);
    ended.push(name);
    return result;
  });
  await everybody;
  // Nobody is done while all wait; then they are let go one by one, the last first.
  expect(ended).toEqual([]);
  for (const [index, name] of [...topics.entries()].toReversed()) {
    waiting.get(name)?.();
    await results[index];
  }
  expect(ended).toEqual(topics.toReversed());
  for (const [index, result] of (await Promise.all(results)).entries()) {
    expect(result.text).toBe(`go ${topics[index]} ${result.runId}`);
  }
});

test("a hook that waits in one generation does not hold up the others", async () => {
  const engine = await openEngine({ replies: ["nowhere"], scripts }, { parallel: 2 });
  let release: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    engine.hooks.on("preGenerate", (event) => {
      if (topic(event) !== "north") return undefined;
      resolve();
      return new Promise<undefined>((done) => (release = () => done(undefined)));
    });
  });
  const north = Promise.resolve(engine.generate("north"));
  await begun;
  expect((await engine.generate("south")).text).toBe("go south now");
  release?.();
  expect((await north).text).toBe("go north now");
});

test("hooks of one generation never overlap, those of different ones may", async () => {
  const engine = await openEngine({ replies: ["nowhere"], scripts }, { parallel: 4 });
  const inside = new Map<string | null, number>();
  let overlaps = 0;
  const step = async ({ meta }: { meta: { runId: string | null } }): Promise<undefined> => {
    const now = (inside.get(meta.runId) ?? 0) + 1;
    inside.set(meta.runId, now);
    if (now > 1) overlaps++;
    await new Promise((resolve) => setImmediate(resolve));
    inside.set(meta.runId, now - 1);
  };
  for (const point of ["preGenerate", "streamToken", "postGenerate"] as const) {
    engine.hooks.on(point, step);
    engine.hooks.on(point, step);
  }
  const results = await Promise.all(topics.map((name) => engine.generate(name)));
  expect(results.map(({ text }) => text)).toEqual(topics.map((name) => `go ${name} now`));
  expect([overlaps, inside.size]).toEqual([0, topics.length]);
});

test("a person may be asked: without a deadline a hook may take its time, and the answer counts", async () => {
  const engine = await openEngine(["Hello."]);
  let say: ((answer: ReturnType<typeof cancel>) => void) | undefined;
  const asked = new Promise<void>((resolve) => {
    engine.hooks.on(
      "preGenerate",
      ({ signal }) => {
        expect(signal.aborted).toBe(false);
        resolve();
        return new Promise((answer) => (say = answer));
      },
      { deadlineMs: 0, name: "person" },
    );
  });
  const generation = Promise.resolve(engine.generate("hi"));
  await asked;
  say?.(cancel("rather not"));
  expect((await generation).cancel).toEqual({ by: "person", reason: "rather not" });
});

test("leaving the stream early stops the token hooks too", async () => {
  const engine = await openEngine([{ pieces: [" again"], endless: true }]);
  let seen = 0;
  engine.hooks.on("streamToken", () => void seen++);
  const generation = engine.generate("hi");
  for await (const event of generation) if (event.type === "token" && event.index === 3) break;
  const { finishReason, cancel: stopper } = await generation;
  expect([finishReason, stopper?.by]).toEqual(["cancelled", "caller"]);
  const atEnd = seen;
  await engine.generate("hi", { maxTokens: 2 });
  expect(seen).toBe(atEnd + 2);
});

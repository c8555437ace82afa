// Stored sessions and the end of processes: a run that is killed with SIGKILL at many moments, leases of processes that
// are killed, suspended or alive.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, folderStore, type LlamaHooksError, type StoredSession, tool } from "../../../src/index.js";
import { type Child, start } from "../../fixtures/child.js";
import { amount, isLong } from "../../support/amount.js";
import { openEngine, rejection, scriptModel, tempDir } from "../../support/engine.js";
import { messagesIn } from "../../support/memory-store.js";
import { calls, expectWhole } from "../../support/sessions.js";

const steps = 12;
const replies = [...Array.from({ length: steps }, (_, n) => calls("step", { n })), "Finished.", "More."];

const child = (model: string, folder: string, mode: string, moment = 0): Child =>
  start(
    process.execPath,
    ["test/fixtures/stored-session.mjs", model, folder, mode, String(moment)],
    {},
    { leaveOpen: true },
  );

const done: string[] = [];
const step = tool({
  name: "step",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  run: ({ n }) => {
    done.push(String(n));
    return `done ${String(n)}`;
  },
});
const options = { tools: [step], temperature: 0, maxCallsInARow: 100 };

/** Tries until the lease of the holder has expired. */
async function resumeLater(engine: Engine): Promise<StoredSession> {
  for (;;) {
    try {
      return await engine.sessions.resume("s", options);
    } catch (error) {
      if ((error as LlamaHooksError).code !== "SESSION_BUSY") throw error;
    }
  }
}

test("a run that is killed at many moments loses nothing that was reported as saved, and no saved step runs again", async () => {
  const model = await scriptModel(replies);
  const engines = new Map<string, Engine>();
  const moments = new Set<string>();
  let interrupted = 0;
  const kills = amount(8, 20);
  for (let moment = 1; moment <= kills; ++moment) {
    const folder = await tempDir();
    // Over the whole run, which has at least 30 moments, and as many more as there are saves.
    const killed = await child(model, folder, "run", Math.ceil((moment * 30) / kills)).ended;
    expect([moment, killed.signal, killed.stderr]).toEqual([moment, "SIGKILL", ""]);
    const lines = killed.stdout.trim().split("\n");
    moments.add((lines.at(-1) ?? "").replace(/ \d+$/, ""));
    const reported = lines.flatMap((line) => /^saved (\d+)$/.exec(line)?.[1] ?? []).map(Number);
    const log = async (): Promise<string[]> =>
      (await readFile(path.join(folder, "log.txt"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    const ran = await log();

    const engine = await openEngine(replies, { sessionStore: folder });
    engines.set(folder, engine);
    const stored = await folderStore(folder).load("s");
    if (stored === undefined) {
      expect([moment, reported]).toEqual([moment, []]); // it was killed before the first save was reported
      continue;
    }
    // At once: the process that held the session is dead.
    const session = await engine.sessions.resume("s", { ...options, autosave: true });
    const before = session.history();
    expectWhole(before);
    expect(before.length).toBeGreaterThanOrEqual(reported.at(-1) ?? 0);
    expect(before).toHaveLength(messagesIn(stored.record).length);
    const saved = before.flatMap(({ role, content }) =>
      role === "tool" ? (/^done (\d+)$/.exec(content)?.[1] ?? []) : [],
    );
    interrupted += ran.length > saved.length ? 1 : 0;
    expect(ran.slice(0, saved.length)).toEqual(saved); // each once, and in order
    done.length = 0;
    const result = await session.run("Go on");
    expect(result.finishReason).toBe("complete");
    // The steps whose results were saved do not run again, and all others do.
    const expected = Array.from({ length: steps }, (_, n) => String(n)).slice(
      before.filter(({ role }) => role === "assistant").length,
    );
    expect([moment, done]).toEqual([moment, expected]);
    expect(saved.filter((n) => done.includes(n))).toEqual([]);
    await session.close();
    const again = await engine.sessions.resume("s", options);
    expect(again.history().slice(0, before.length)).toEqual(before);
    await engine.close();
  }
  if (isLong) expect([...moments].toSorted()).toEqual(["begins", "did", "reported", "saving", "within a save"]);
  expect(interrupted).toBeGreaterThan(0); // else no moment was between a step and its save
}, 600_000);

test("a live process keeps its session; once it is killed, another has it at once", async () => {
  const model = await scriptModel(replies);
  const folder = await tempDir();
  const holder = child(model, folder, "hold");
  await holder.said("open");
  const engine = await openEngine(replies, { sessionStore: folder });
  const pid = holder.process.pid ?? 0;
  const busy = await rejection(engine.sessions.resume("s", options));
  expect(busy).toMatchObject({
    code: "SESSION_BUSY",
    message: expect.stringMatching(new RegExp(`^process ${pid} on .+ holds the stored session s$`)) as string,
  });
  expect(await rejection(engine.sessions.delete("s"))).toMatchObject({ code: "SESSION_BUSY" });
  // A second process is refused, too.
  const second = await child(model, folder, "hold").ended;
  expect(second.stderr).toContain("SESSION_BUSY");
  holder.process.kill("SIGKILL");
  await holder.ended;
  // Within the lease of 30 s, of which a resume that waited would fail.
  const session = await engine.sessions.resume("s", options);
  expect((busy as LlamaHooksError).details?.["expiresInMs"]).toBeGreaterThan(0);
  expect(session.history()).toEqual([]);
  await session.close();
});

test("of many processes one gets a session that a killed one held", async () => {
  const model = await scriptModel(replies);
  const folder = await tempDir();
  const holder = child(model, folder, "hold");
  await holder.said("open");
  holder.process.kill("SIGKILL");
  await holder.ended;
  const engines = await Promise.all([1, 2, 3].map(() => openEngine(replies, { sessionStore: folder })));
  const tries = await Promise.allSettled(engines.map((engine) => engine.sessions.resume("s", options)));
  expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1);
  for (const one of tries) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "SESSION_BUSY" });
});

test("a suspended process loses its session when its lease expires, and overwrites nothing afterwards", async () => {
  const model = await scriptModel(replies);
  const folder = await tempDir();
  const holder = child(model, folder, "fenced");
  await holder.said("open");
  holder.process.kill("SIGSTOP");
  const engine = await openEngine(replies, { sessionStore: folder });
  const session = await resumeLater(engine);
  await session.run("Here now");
  await session.save();
  const stored = await folderStore(folder).load("s");
  holder.process.kill("SIGCONT");
  holder.type("go\n");
  expect(await holder.ended).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await holder.ended;
  const lines = stdout.split("\n").filter((line) => /^(?:save:|run:|closed)/.test(line));
  expect(lines).toEqual(["save: SESSION_LOST", "run: SESSION_LOST", "closed"]);
  expect(await folderStore(folder).load("s")).toEqual(stored);
  await session.run("And on");
  await session.save();
  expect(session.saveError).toBeUndefined();
});

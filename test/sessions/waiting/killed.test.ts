// A process that is killed at any moment of a deferred approval: nothing that was said to be saved is lost, and no call
// runs twice.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Ended, jsonLines, start } from "../../fixtures/child.js";
import { scriptModel, tempDir } from "../../support/engine.js";
import { amount } from "../../support/amount.js";

const fixture = fileURLToPath(new URL("../../fixtures/waiting-life.mjs", import.meta.url));
const payments = { text: "I pay.", toolCalls: ["Ada", "Bob"].map((to) => ({ name: "pay", args: { to } })) };

test("twenty moments of a deferred approval", async () => {
  const model = await scriptModel([payments, "Paid."]);
  const open = async () => {
    const folder = await tempDir();
    const file = path.join(folder, "session.json");
    const journal = path.join(folder, "journal");
    const life = (killAt: number): Promise<Ended> =>
      start(process.execPath, [fixture, model, file, journal], { KILL_AT: `${killAt}` }).ended;
    const lines = async (): Promise<string[]> =>
      existsSync(journal) ? (await readFile(journal, "utf8")).split("\n").slice(0, -1) : [];
    return { file, life, lines };
  };

  const whole = await open();
  const { moments } = jsonLines((await whole.life(0)).stdout)[0] as { moments: number };
  expect(moments).toBeGreaterThan(30);
  expect(await whole.lines()).toEqual(["asked", "paid Ada", "paid Bob"]);

  const all = Array.from({ length: amount(4, 24) }, (_, i) => Math.ceil(((i + 0.5) * moments) / amount(4, 24)));
  for (const killAt of all) {
    const { file, life, lines } = await open();
    const killed = await life(killAt);
    expect(killed.signal, `moment ${killAt} of ${moments}`).toBe("SIGKILL");
    const asked = (await lines()).includes("asked");
    if (asked) expect(existsSync(file)).toBe(true);
    const ended = await life(0);
    expect(ended).toMatchObject({ code: 0, signal: null });
    const state = jsonLines(ended.stdout)[0] as { waiting: number; first: string; results: string[] };
    // What was asked for is there, each call has one result, and each was paid at most once.
    expect(state).toMatchObject({ waiting: 0, first: "Pay Ada and Bob." });
    const journal = (await lines()).filter((line) => line.startsWith("paid"));
    expect(new Set(journal).size, journal.join()).toBe(journal.length);
    expect(state.results).toHaveLength(2);
    for (const [index, result] of state.results.entries()) {
      const paid = `paid ${["Ada", "Bob"][index]}`;
      expect([paid, "not run: the session was interrupted"]).toContain(result);
      if (result === paid) expect(journal).toContain(paid);
    }
  }
}, 600_000);

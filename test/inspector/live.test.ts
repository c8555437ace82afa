// The page of an engine at work: many events while it is open, events that are lost, and all kinds of activities.
import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { questions } from "../../src/ready-hooks/index.js";
import { embeddingModel } from "../support/embeddings.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { openInspector } from "../support/inspector.js";
import { activeRow, inBrowser, row } from "../support/inspector-page.js";
import { asks, calls, clock, runOnce, weather } from "../support/sessions.js";

const many = 10_000;
const cities = Array.from({ length: 7 }, (_, index) => String(index));
/** A run of it has a row for its session, itself, two model calls and each call of the tool. */
const script = [asks(...cities), "Cold."];
const agent = { tools: [weather] };
const rowsOfRun = 4 + cities.length;

/** The figures of the history, by the inspector's own answer. */
interface Kept {
  readonly history: { readonly kept: number; readonly lost: number };
}

async function historyOf(ask: (path: string) => Promise<Response>): Promise<Kept["history"]> {
  return ((await (await ask("/state")).json()) as Kept).history;
}

/** Runs until the inspector has seen so many events. Returns the number of runs. */
async function runUntil(engine: Engine, ask: (path: string) => Promise<Response>, events: number): Promise<number> {
  for (let runs = 0; ;) {
    for (let round = 0; round < 10; round++, runs++) await runOnce(engine, agent);
    const { kept, lost } = await historyOf(ask);
    if (kept + lost >= events) return runs;
  }
}

/** The page reads what is kept in pieces: waits until a text has not changed for a second. */
async function untilSteady(text: () => Promise<string>): Promise<void> {
  let [last, times] = ["", 0];
  const looked = async (): Promise<number> => {
    const now = await text();
    times = now === last ? times + 1 : 0;
    last = now;
    return times;
  };
  await expect.poll(looked, { interval: 200 }).toBeGreaterThan(5);
}

inBrowser((open) => {
  test("10,000 events of a running engine leave the open page usable, and none is missing", async () => {
    const engine = await openEngine(script);
    engine.hooks.on("postToolCall", () => ({ result: "Oslo: masked" }), { name: "mask" });
    const { inspector, ask } = await openInspector(engine);
    const { page, complaints } = await open(inspector.url);
    await page.evaluate(`(() => {
      window.longTasks = [];
      const note = (list) => list.getEntries().forEach(({ duration }) => window.longTasks.push(duration));
      new PerformanceObserver(note).observe({ type: "longtask" });
    })()`);
    await runOnce(engine, agent);
    await row(page, "weather").first().click();
    const running = runUntil(engine, ask, many);
    // The selected row stays while rows come, and the keyboard moves among them.
    await page.locator("#details .dispatch.change summary").click();
    await page.locator("#details .values .field").first().waitFor();
    await page.locator("#tree").focus();
    const before = await page.locator("#count").innerText();
    await expect.poll(() => page.locator("#count").innerText(), { timeout: 120_000 }).not.toBe(before);
    expect(await page.locator("#details .values .field").count()).toBeGreaterThan(0);
    expect(await activeRow(page)).toMatch(/^weather/);
    await page.keyboard.press("ArrowDown");
    expect(await activeRow(page)).toMatch(/^weather/);
    const runs = (await running) + 1;
    const { kept, lost } = await historyOf(ask);
    expect([kept >= many, lost]).toEqual([true, 0]);
    await engine.close();
    await page.locator("#status.ended").waitFor();
    // The engine has unloaded its model, which is a row below its own.
    const rows = runs * rowsOfRun + 2;
    const counts = `${rows.toLocaleString("en")} rows, ${(runs * cities.length).toLocaleString("en")} decisions`;
    await expect.poll(() => page.locator("#count").innerText()).toBe(counts);
    expect(await page.locator(".row").count()).toBeLessThan(60);
    await page.keyboard.press("End");
    expect(await activeRow(page)).toMatch(/^unload default/);
    expect(await page.locator('.row[aria-selected="true"]').getAttribute("data-index")).toBe(String(rows - 1));
    await page.keyboard.press("Home");
    expect(await activeRow(page)).toMatch(/^session/);
    await page.check("#decided");
    const decided = `${(runs * (2 + cities.length)).toLocaleString("en")} rows`;
    await expect.poll(() => page.locator("#count").innerText()).toContain(decided);
    expect(await page.locator(".row").count()).toBeLessThan(60);
    const longest = await page.evaluate<number>("Math.max(0, ...window.longTasks)");
    console.log(`10,000 live events: ${kept} kept, the longest task of the page took ${longest} ms`);
    expect(complaints).toEqual([]);
  }, 600_000);

  test("a page that is opened late tells how many events it lost, and shows what is kept", async () => {
    const engine = await openEngine(script);
    const { inspector, ask } = await openInspector(engine, { history: 1000 });
    await runUntil(engine, ask, 2000);
    const { kept, lost } = await historyOf(ask);
    expect(kept).toBe(1000);
    const { page } = await open(inspector.url);
    const loss = `${lost.toLocaleString("en")} older events lost`;
    await expect.poll(() => page.locator("#count").innerText()).toContain(loss);
    await untilSteady(() => page.locator("#count").innerText());
    // A part of the oldest run that is kept is lost; all others are whole.
    await page.locator("#tree").focus();
    await page.keyboard.press("Home");
    expect(await activeRow(page)).toMatch(/^session/);
    await page.keyboard.press("End");
    expect(await activeRow(page)).toMatch(/^model call 2/);
    // The page gets all later events.
    const rows = Number((await page.locator("#count").innerText()).replaceAll(/ rows.*|,/gs, ""));
    await runOnce(engine, agent);
    const all = (rows + rowsOfRun).toLocaleString("en");
    await expect.poll(() => page.locator("#count").innerText()).toMatch(new RegExp(`^${all} rows`));
    expect(await page.locator("#count").innerText()).toContain(loss);
  });

  test("plans, embeddings and reranking have rows of their own, with what they were about", async () => {
    const plan = { flow: "sequence", steps: [{ name: "a", tool: "clock" }] };
    const agent = await scriptModel([calls("plan", plan), "Done."]);
    const [embedder, reranker] = [await embeddingModel(), await embeddingModel({ reranks: true })];
    const engine = await openEngine([], { models: { agent, embedder, reranker } });
    const { inspector } = await openInspector(engine);
    const { page, complaints } = await open(inspector.url);
    await runOnce(engine, { model: "agent", tools: [clock], controlTools: ["plan"] });
    await engine.embed(["one", "two"], { model: "embedder" });
    await engine.rerank("one", ["two", "three", "four"], { model: "reranker" });
    const facts = async (name: string): Promise<string> => {
      await row(page, name).last().click();
      return (await page.locator("#details .facts").innerText()).replaceAll(/\s+/g, " ");
    };
    expect(await facts("embed embedder")).toMatch(/Texts 2 .*Model embedder/);
    expect(await facts("rerank reranker")).toMatch(/Documents 3 .*Model reranker/);
    expect(await facts("plan")).toMatch(/Steps 1 Succeeded 1/);
    expect(await page.locator(".row", { hasText: "undefined" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("calls that did not run have rows with their name and the reason", async () => {
    const replies = [calls("weather", { city: "Oslo" }), calls("clock"), "Cold."];
    const engine = await openEngine(replies);
    engine.hooks.on("preToolCall", ({ toolName }) => (toolName === "clock" ? cancel("not now") : undefined));
    const list = questions();
    engine.hooks.use(list.hooks);
    list.on(() => list.open().forEach(({ id }) => list.answer(id, { allow: false, reason: "it rains" })));
    const { inspector } = await openInspector(engine, { questions: list });
    const { page } = await open(inspector.url);
    const { toolCalls } = await runOnce(engine, { tools: [weather, clock], permissions: [{ ask: "*" }] });
    expect(toolCalls.map(({ resultKind }) => resultKind)).toEqual(["rejected_permission", "rejected_hook"]);
    const refused = page.locator(".row.toolCall");
    await expect.poll(() => refused.count()).toBe(2);
    await expect.poll(() => refused.locator(".name").allInnerTexts()).toEqual(["weather", "clock"]);
    await expect.poll(() => refused.locator(".extra").allInnerTexts()).toEqual(["rejected_permission", "refused"]);
    await refused.first().click();
    await page.locator("#details .dispatch", { hasText: "postToolCall" }).locator("summary").click();
    await page.locator("#details .values", { hasText: "it rains" }).waitFor();
  });
});

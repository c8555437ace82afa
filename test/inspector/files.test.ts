// Saved traces and recordings on the page: chosen, dropped, refused, and compared.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, recordRun, type SessionOptions, type TraceEvent, traceEvents } from "../../src/index.js";
import { openEngine, scriptModel, tempDir } from "../support/engine.js";
import { openFiles, openInspector } from "../support/inspector.js";
import { dropFiles, inBrowser, row } from "../support/inspector-page.js";
import { asks, calls, clock, runOnce, weather } from "../support/sessions.js";

inBrowser((open) => {
  test("two saved files are compared step by step, and what is not a trace is said", async () => {
    const folder = await tempDir();
    const names = ["before.json", "after.json", "recording.json", "other.json"].map((name) => path.join(folder, name));
    const [before = "", after = "", recording = "", other = ""] = names;
    await writeTrace(before, await openEngine([asks("Oslo"), "Cold."]), recording);
    const engine = await openEngine([asks("Oslo"), "Cold."]);
    engine.hooks.on("preToolCall", () => cancel("not now"), { name: "guard" });
    await writeTrace(after, engine);
    await writeFile(other, '{"some": "thing"}');
    const { inspector } = await openFiles([before, after]);
    const { page } = await open(inspector.url, { width: 400 });
    await page.locator("#comparison .run").waitFor();
    const text = (await page.locator("#comparison").innerText()).replaceAll(/\s+/g, " ");
    expect(text).toMatch(/^\d+ differences Run 1: \d differences before.json after.json/);
    const added = await page.locator("#comparison tr:not(.same)").allInnerTexts();
    expect(added.join("\n")).toMatch(/preToolCall: cancelled\s+guard cancelled; not now/);
    await page.setInputFiles("#choose", [recording, other]);
    await page.getByText("other.json cannot be opened: it is neither a trace").waitFor();
    await page.selectOption("#compare-left", "2");
    await page.selectOption("#compare-right", "2");
    await page.getByText("No differences").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    await page.click("#tab-runs");
    await row(page, "weather").click();
    expect(await page.locator("#details pre").allInnerTexts()).toEqual([
      expect.stringContaining("Oslo"),
      "Oslo: 4 degrees",
    ]);
  });

  test("a trace and a recording that are dropped on the page are opened, shown and compared", async () => {
    const folder = await tempDir();
    const [trace, recording] = [path.join(folder, "trace.json"), path.join(folder, "recording.json")];
    await writeTrace(trace, await openEngine([asks("Oslo"), "Cold."]), recording);
    const engine = await openEngine([asks("Oslo"), "Cold."]);
    const { inspector } = await openInspector(engine);
    await runOnce(engine, { tools: [weather] });
    const { page, complaints } = await open(inspector.url);
    await row(page, "weather").waitFor();
    const sources = page.locator("#source option");
    await dropFiles(page, "#tree", [{ name: "trace.json", text: await readFile(trace, "utf8") }]);
    await expect.poll(() => sources.allInnerTexts()).toEqual(["Running engine", "trace.json"]);
    expect(await page.locator("#source").inputValue()).toBe("1");
    expect(await page.locator("body.dragging").count()).toBe(0);
    await page.locator("#tab-memory").click();
    const both = [recording, trace].map(async (file) => ({
      name: path.basename(file),
      text: await readFile(file, "utf8"),
    }));
    await dropFiles(page, "body", await Promise.all(both));
    await expect.poll(() => sources.count()).toBe(4);
    expect(await sources.allInnerTexts()).toEqual(["Running engine", "trace.json", "recording.json", "trace.json (2)"]);
    await page.locator("#tab-runs").click();
    await page.selectOption("#source", "recording.json");
    await row(page, "weather").click();
    expect(await page.locator("#details pre").allInnerTexts()).toContain("Oslo: 4 degrees");
    await page.locator("#tab-files").click();
    for (const [left, right] of [
      ["recording.json", "trace.json"],
      ["Running engine", "recording.json"],
      ["Running engine", "trace.json"],
    ] as const) {
      await page.selectOption("#compare-left", left);
      await page.selectOption("#compare-right", right);
      await page.getByText("No differences").waitFor();
      const steps = await page.locator("#comparison td:first-child strong").allTextContents();
      expect([left, right, ...steps]).toEqual([left, right, "run", "model call", "weather", "model call"]);
    }
    expect(complaints).toEqual([]);
  });

  test("of what is dropped, a wrong file is named where the person looks, and a text is not a file", async () => {
    const { inspector } = await openInspector(await openEngine());
    const { page, complaints } = await open(inspector.url, { width: 400 });
    await page.locator("#status.connected").waitFor();
    await dropFiles(page, "#tree", [
      { name: "photo.json", text: "GIF89a" },
      { name: "other.json", text: '{"some": "thing"}' },
    ]);
    await page.locator("#panel-files").getByText("photo.json cannot be opened: it is not JSON").waitFor();
    await page.getByText("other.json cannot be opened: it is neither a trace").waitFor();
    expect(await page.locator("#source option").count()).toBe(1);
    // A dragged text stays with the browser, which puts it into a field.
    const isTaken = await page.evaluate<boolean>(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/plain", "weather");
      const event = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
      document.getElementById("filter").dispatchEvent(event);
      return event.defaultPrevented;
    })()`);
    expect(isTaken).toBe(false);
    expect(complaints).toEqual([]);
  });

  test("a recording and a trace differ where a call is missing, not where only one of them can tell", async () => {
    const folder = await tempDir();
    const [trace, recording] = [path.join(folder, "trace.json"), path.join(folder, "recording.json")];
    const lead = { system: "You lead." };
    const scripts = [
      { when: "You work.", replies: [calls("clock"), "Worked."] },
      {
        when: "You lead.",
        replies: [asks("Oslo"), calls("clock"), calls("delegate", { tier: "coder", task: "Go." }), "Over."],
      },
    ];
    const start = async (): Promise<Engine> => {
      const engine = await openEngine([], { model: await scriptModel({ replies: ["Nobody."], scripts }) });
      engine.hooks.on("postToolCall", () => ({ result: "masked" }), { name: "mask" });
      return engine;
    };
    const session: SessionOptions = {
      tools: [weather, clock],
      tiers: { lead, coder: { system: "You work." } },
      tier: "lead",
      controlTools: ["delegate"],
    };
    await writeTrace(trace, await start(), recording, session);
    const { inspector } = await openFiles([recording, trace]);
    const { page } = await open(inspector.url);
    await page.getByText("No differences").waitFor();
    await page.click("#tab-runs");
    await page.selectOption("#source", "recording.json");
    // A recording has delegated runs, and calls after the answers that asked for them.
    const names = await page.locator(".row .name").allInnerTexts();
    expect(names.slice(1)).toEqual([
      "run 1",
      "model call 1",
      "weather",
      "model call 2",
      "clock",
      "model call 3",
      "delegate",
      "run of coder",
      "model call 1",
      "model call 2",
      "model call 4",
    ]);
    const other = path.join(folder, "other.json");
    const engine = await start();
    engine.hooks.on("preToolCall", ({ toolName }) => (toolName === "clock" ? cancel("not now") : undefined));
    await writeTrace(other, engine, undefined, session);
    await page.setInputFiles("#choose", other);
    await page.click("#tab-files");
    await page.selectOption("#compare-left", "recording.json");
    await page.selectOption("#compare-right", "other.json");
    await page.getByText("1 difference", { exact: true }).waitFor();
    expect(await page.locator("#comparison tr.removed").allInnerTexts()).toEqual([expect.stringMatching(/clock\s+ok/)]);
  });
});

/** Runs once, and writes the trace and a recording of it. */
async function writeTrace(
  file: string,
  engine: Engine,
  recording?: string,
  options: SessionOptions = { tools: [weather] },
): Promise<void> {
  const events: TraceEvent[] = [];
  const reading = (async () => {
    for await (const event of engine.trace()) events.push(event);
  })();
  const session = engine.session(options);
  const recorder = recordRun(session);
  await session.run("Weather in Oslo?");
  if (recording !== undefined) await recorder.save(recording);
  recorder.stop();
  await engine.close();
  await reading;
  await writeFile(file, JSON.stringify(traceEvents(events)));
  expect(JSON.parse(await readFile(file, "utf8"))).toHaveProperty("traceEvents");
}

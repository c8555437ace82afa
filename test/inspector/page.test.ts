import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { questions } from "../../src/ready-hooks/index.js";
import { textContrasts } from "../support/browser.js";
import { openEngine, tempDir } from "../support/engine.js";
import { openFiles, openInspector } from "../support/inspector.js";
import { activeRow, inBrowser, row } from "../support/inspector-page.js";
import { asks, asksUser, calls, runOnce, weather } from "../support/sessions.js";

const tabs = ["runs", "hooks", "memory", "questions", "files"] as const;
const hostile = `</script><img src=x onerror="window.ran=1"><script>window.ran=1</script>'"&amp;`;

inBrowser((open) => {
  test("each view is drawn and fits at 1280 and 400 pixels, light and dark, with readable texts", async () => {
    const engine = await busyEngine();
    const { inspector } = await openInspector(engine, { values: "raw" });
    await runOnce(engine, { tools: [weather] });
    const { page, complaints } = await open(inspector.url);
    await row(page, "weather").click();
    await page.locator(".dispatch.change summary").first().click();
    await page.locator(".values ins").first().waitFor();
    for (const width of [1280, 400])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" }); // no color on its way to another
        for (const tab of tabs) {
          await page.click(`#tab-${tab}`);
          const look = `${tab} ${width} ${colorScheme}`;
          expect([look, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([look, width]);
          const contrasts = await textContrasts(page);
          expect([look, contrasts.filter(({ contrast }) => contrast < 4.5)]).toEqual([look, []]);
        }
        await page.click("#tab-runs");
        await expect.poll(() => colorsOf(page, "#bars")).toBeGreaterThan(3);
        expect((await drawnContrasts(page)).filter(({ contrast }) => !(contrast >= 3))).toEqual([]);
      }
    expect(complaints).toEqual([]);
  });

  test("a veto, a change and a failure are shown with hook, reason and values", async () => {
    const engine = await busyEngine();
    const { inspector } = await openInspector(engine, { values: "raw" });
    const { page } = await open(inspector.url);
    await runOnce(engine, { tools: [weather] });
    await row(page, "weather").click();
    const details = page.locator("#details");
    await details.getByText("permissionCheck").waitFor();
    const changed = details.locator(".dispatch.change", { hasText: "postToolCall" });
    await changed.locator("summary").click();
    await changed.locator("del").waitFor();
    expect(await changed.locator(".hook").allInnerTexts()).toEqual([
      expect.stringMatching(/^mask\s+modified\s+result/),
    ]);
    expect(await changed.locator("del").innerText()).toContain("4 degrees");
    expect(await changed.locator("ins").innerText()).toContain("masked");
    const failed = details.locator(".dispatch.failure");
    await failed.locator("summary").click();
    expect(await failed.locator(".error").innerText()).toMatch(/^HOOK_FAILED hook "broken" .*out of order$/);
    await page.fill("#filter", "nothing like this");
    await page.getByText("No row matches.").waitFor();
    await page.fill("#filter", "mask");
    await row(page, "run").first().waitFor();
    await page.fill("#filter", "");
    await page.click("#tab-hooks");
    const hooks = page.locator("#panel-hooks tbody tr");
    await expect.poll(() => hooks.count()).toBe(3);
    const figures = /^postToolCall\tmask\t30,000 ms\t\t1\t1\t1\t1\t–\t–\t/;
    await expect.poll(() => hooks.filter({ hasText: "mask" }).innerText()).toMatch(figures);
    await page.click("#tab-memory");
    await expect.poll(() => page.locator("#memory-chart").getAttribute("aria-label")).toMatch(/Now: CPU \d/);
    await engine.close();
    await page.getByText("The engine has ended; this page keeps what it has").waitFor();
    await page.click("#tab-runs");
    expect(await row(page, "weather").count()).toBe(1);
  });

  test("all of it works with the keyboard alone", async () => {
    const engine = await busyEngine();
    const { inspector } = await openInspector(engine);
    await runOnce(engine, { tools: [weather] });
    const { page } = await open(inspector.url);
    await row(page, "weather").waitFor();
    const focused = (): Promise<string> => page.evaluate("document.activeElement.id || document.activeElement.tagName");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("tab-hooks");
    await page.keyboard.press("Home");
    expect(await page.locator("#panel-runs").isVisible()).toBe(true);
    for (let presses = 0; (await focused()) !== "tree" && presses < 12; presses++) await page.keyboard.press("Tab");
    await page.keyboard.press("End");
    expect(await activeRow(page)).toMatch(/^model call 2/);
    await page.keyboard.press("ArrowLeft");
    expect(await activeRow(page)).toMatch(/^run, .*vetoes: 0|^run/);
    await page.keyboard.press("ArrowLeft"); // closes it
    await expect.poll(() => row(page, "weather").count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await row(page, "weather").waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await activeRow(page)).toMatch(/^model call 1/);
    await page.keyboard.press("+");
    await page.keyboard.press("f");
    await page.keyboard.press("0");
    await page.keyboard.press("ArrowDown");
    expect(await activeRow(page)).toMatch(/^weather/);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("SUMMARY");
    await page.keyboard.press("Enter");
    await page.locator(".values .field").first().waitFor();
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("tree");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  });

  test("questions are answered on the page, by keyboard, and what is wrong is said", async () => {
    const engine = await openEngine([asks("Oslo"), calls("asks_user"), "Cold."]);
    const list = questions();
    engine.hooks.use(list.hooks);
    const { inspector } = await openInspector(engine, { questions: list });
    const { page, complaints } = await open(inspector.url);
    await page.click("#tab-questions");
    await page.getByText("No question waits.").waitFor();
    const running = runOnce(engine, { tools: [weather, asksUser], permissions: [{ ask: "weather" }, { allow: "*" }] });
    const permission = page.getByRole("form", { name: "Permission for weather" });
    await permission.waitFor();
    expect(await permission.locator("pre").innerText()).toContain('"city": "Oslo"');
    expect(await page.locator("#question-count").innerText()).toBe("1");
    await permission.getByLabel("Reason").focus();
    await page.keyboard.type("it rains anyway");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // Deny
    const input = page.getByRole("form", { name: "Input for asks_user" });
    await input.waitFor();
    await input.locator("textarea").fill('{"city": 1}');
    await input.getByRole("button", { name: "Send" }).click();
    await input.getByRole("alert").filter({ hasText: "city" }).waitFor();
    await input.locator("textarea").fill('{"city": "Bergen"}');
    await input.getByRole("button", { name: "Send" }).click();
    const { toolCalls } = await running;
    expect(toolCalls.map(({ result }) => result)).toEqual([
      expect.stringContaining("it rains anyway"),
      "accept Bergen",
    ]);
    await page.getByText("No question waits.").waitFor();
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("texts of models, tools and hooks are texts, whatever they look like", async () => {
    const engine = await openEngine([calls("weather", { city: hostile }), hostile]);
    engine.hooks.on("preToolCall", () => cancel(hostile), { name: hostile, when: { toolName: "weather" } });
    const list = questions();
    engine.hooks.use(list.hooks);
    const { inspector } = await openInspector(engine, { questions: list });
    await runOnce(engine, { tools: [weather] });
    const { page, complaints } = await open(inspector.url);
    await page.locator(".row.run").first().click();
    await page.evaluate('for (const one of document.querySelectorAll("#details details")) one.open = true');
    await expect.poll(() => page.locator("#details").innerText()).toContain("onerror");
    await expect.poll(() => page.locator("#details .values .field").count()).toBeGreaterThan(3);
    expect(await page.locator("#details .reason").textContent()).toBe(`${hostile}: ${hostile}`);
    await page.click("#tab-hooks");
    await page.locator("#panel-hooks td", { hasText: "onerror" }).first().waitFor();
    const file = path.join(await tempDir(), "<img src=x onerror=window.ran=1>.json");
    await writeFile(
      file,
      JSON.stringify({ traceEvents: [span("run", hostile, 0, { runId: hostile, tier: hostile })] }),
    );
    await page.setInputFiles("#choose", file);
    await page.locator("#source option", { hasText: "onerror" }).waitFor({ state: "attached" });
    await page.click("#tab-runs");
    await page.locator(".row", { hasText: "onerror" }).first().click();
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(complaints).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1280);
  });

  test("10,000 events are a few elements, and the last row is one key away", async () => {
    const file = path.join(await tempDir(), "long.json");
    await writeFile(file, JSON.stringify({ traceEvents: longTrace(10_000) }));
    const { inspector } = await openFiles([file]);
    const { page, complaints } = await open(inspector.url);
    await page.locator(".row").first().waitFor();
    expect(await page.locator("#count").innerText()).toBe("10,101 rows, 0 decisions");
    expect(await page.locator(".row").count()).toBeLessThan(60);
    await page.locator("#tree").focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.locator('.row[aria-selected="true"]').getAttribute("aria-posinset")).toBe("100");
    const ms = await page.evaluate<number>(`new Promise((resolve) => {
      const tree = document.getElementById("tree");
      let frames = 0;
      const begin = performance.now();
      const step = () => {
        tree.scrollTop = (frames * 997) % tree.scrollHeight;
        if (++frames < 60) requestAnimationFrame(step);
        else resolve((performance.now() - begin) / frames);
      };
      requestAnimationFrame(step);
    })`);
    console.log(`10,000 events: ${ms.toFixed(1)} ms a frame while scrolling`);
    expect(await page.locator(".row").count()).toBeLessThan(60);
    expect(complaints).toEqual([]);
  });

  test("without the token the page says what it needs; the token leaves the address and stays in the tab", async () => {
    const { inspector } = await openInspector(await openEngine());
    const { page } = await open(new URL(inspector.url).origin);
    await page.getByText("This page needs the token").waitFor();
    const { page: known } = await open(inspector.url);
    await known.locator("#status.connected").waitFor();
    expect(known.url()).not.toContain("#");
    await known.reload();
    await known.locator("#status.connected").waitFor();
  });
});

/** Its hooks change a result, fail and look on. */
async function busyEngine(): Promise<Engine> {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  engine.hooks.on("postToolCall", () => ({ result: "Oslo: masked" }), { name: "mask" });
  engine.hooks.on("permissionCheck", () => undefined, { name: "look" });
  const broken = (): never => {
    throw new Error("out of order");
  };
  engine.hooks.on("preToolCall", broken, { name: "broken" });
  return engine;
}

/** The number of colours of the opaque pixels of a canvas. */
function colorsOf(page: Page, canvas: string): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector("${canvas}");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colors.add(data.slice(i, i + 3).join());
    return colors.size;
  })()`);
}

/** The contrast of the colours of bars, of marks and of the borders of fields with the page. */
function drawnContrasts(page: Page): Promise<{ name: string; contrast: number }[]> {
  return page.evaluate(`(() => {
    const style = getComputedStyle(document.documentElement);
    const kinds = ["session", "engine", "run", "plan", "generation", "modelCall", "toolCall", "embedding", "rerank"];
    const names = [...kinds, "modelLoad"].map((kind) => "bar-" + kind).concat("veto", "failure", "change", "gray", "accent");
    const luminance = (name) => [1, 3, 5]
      .map((at) => parseInt(style.getPropertyValue("--" + name).trim().slice(at, at + 2), 16) / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    return names.map((name) => {
      const [low, high] = [luminance(name), luminance("page")].sort((a, b) => a - b);
      return { name, contrast: (high + 0.05) / (low + 0.05) };
    });
  })()`);
}

function span(cat: string, name: string, ts: number, args: object): object {
  return { ph: "X", pid: 1, tid: 1, cat, name, ts, dur: 800, args };
}

/** Runs of 100 calls each, in a hundredth as many runs. */
function longTrace(count: number): object[] {
  return Array.from({ length: count / 100 }, (_, run) => {
    const ids = { runId: `run-${run}`, sessionId: "session-1" };
    const calls = Array.from({ length: 100 }, (__, call) =>
      span(call % 2 === 0 ? "modelCall" : "toolCall", "weather", run * 100_000 + call * 1000, {
        ...ids,
        iteration: call,
      }),
    );
    return [{ ...span("run", "run", run * 100_000, ids), dur: 99_900 }, ...calls];
  }).flat();
}

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { benchPage } from "../../bench/page/page.js";
import { noiseOf } from "../../src/bench/results/noise.js";
import type { BenchResults } from "../../src/bench/results/results.js";
import { benchResults, smallBenchResults, withRatios } from "../support/bench-results.js";
import { openBrowser, textContrasts, whyNoBrowser } from "../support/browser.js";

const none = { decode: [], skipped: [], micro: [], instructions: [], rows: [], models: [] };

test("a page of all parts stays below 300 KB", () => {
  expect(Buffer.byteLength(benchPage(benchResults()))).toBeLessThan(300_000);
});

test("a page without a single figure says where and how, and claims nothing", () => {
  const page = benchPage(benchResults(none));
  expect(page).toContain("Fixture CPU 9000");
  expect(page).not.toMatch(/<canvas|id="targets"|class="lead"/);
});

test("a page says which figures the machine made worthless, where there are some", () => {
  const warnings = ["P1, tiny: the rounds differ <so much> that it may be off by 2.3 %"];
  expect(benchPage(benchResults({ warnings }))).toContain("differ &lt;so much&gt; that");
  expect(benchPage(benchResults())).not.toContain("restless");
});

test("the sentence at the top rounds down, and leaves out what was not measured", () => {
  const lead = (results: BenchResults): string | undefined => /<p class="lead">([^<]*)/.exec(benchPage(results))?.[1];
  const only = (share: number): BenchResults => {
    const decode = benchResults().decode.filter(({ model, sequences }) => model === "0.5b" && sequences === 1);
    const toPlain = { median: share, lowest: share, highest: share, runs: [share, share] };
    return benchResults({ ...none, decode: decode.map((one) => ({ ...one, toPlain, toNodeLlamaCpp: null })) });
  };
  expect(lead(only(0.9999))).toBe(
    "With an awaited TypeScript hook on every token, decode runs at 0.99x the speed of plain llama.cpp (0.5b).",
  );
  expect(lead(only(0.29))).toContain("runs at 0.29x the speed of");
  expect(lead(smallBenchResults())).toMatch(
    /runs at \d\.\d\dx the speed of the engine without hooks \(my-model\.gguf\)\.$/,
  );
  expect(lead(benchResults())).toMatch(
    / (\d\.\d\dx \([^)]+\)(, | and | )){3}the speed of plain .*, and at .*x the speed of node-/,
  );
});

test.each([
  ["rounds disagree", [1.42, 0.8, 1.6, 1.1, 1.5], /ratios within a round differ by 28 %/],
  ["hooks seem to make it faster", [1.42, 1.42, 1.42], /hooks add work, but a run with them had 1\.42x the speed/],
  ["there was one round", [1.42], /^one round cannot tell/],
])("where %s a banner on top says so, and there is no headline", (_, ratios, reason) => {
  const results = withRatios(smallBenchResults(), ratios);
  const warnings = noiseOf(results.decode);
  const page = benchPage({ ...results, warnings });
  expect(page).not.toContain('class="lead"');
  expect(/<div class="banner"[^>]*><p>([^<]*)/.exec(page.replaceAll("> <", "><"))?.[1]).toMatch(reason);
  expect(page.indexOf('class="banner"')).toBeLessThan(page.indexOf('class="facts"'));
  expect(page).not.toContain("restless"); // it is said once
});

test("a quiet run has no banner; a noisy model is left out of the headline of several", () => {
  expect(benchPage(benchResults())).not.toContain('class="banner"');
  const noisy = withRatios(benchResults(), [1.42, 0.8, 1.6, 1.1, 1.5], "tiny");
  const page = benchPage(noisy);
  expect(page).toMatch(/class="banner".*<p>tiny: the machine was too noisy/);
  expect(/<p class="lead">([^<]*)/.exec(page)?.[1]).toMatch(/0\.5b.*1\.1b/);
  expect(/<p class="lead">([^<]*)/.exec(page)?.[1]).not.toContain("tiny");
});

test("figures within the noise are marked", () => {
  const page = benchPage(withRatios(smallBenchResults(), [0.99, 1.01, 0.98]));
  expect(page).toMatch(/<td [^>]*>within the noise<\/td>/);
  expect(benchPage(withRatios(smallBenchResults(), [0.97, 0.99, 0.98]))).not.toContain("within the noise");
  expect(benchPage(withRatios(benchResults(), [0.99, 1.01, 0.98]))).toMatch(/<td [^>]*>~0\.990<\/td>/);
});

const noBrowser = whyNoBrowser();

describe.skipIf(noBrowser)(`in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ""}`, () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-page-"));
  });

  afterAll(async () => {
    await browser?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  interface Look {
    readonly width?: number;
    readonly colorScheme?: "light" | "dark";
  }

  /** The page of results, drawn, and all that it complained of or asked for. */
  async function open(results: BenchResults, { width = 1280, colorScheme = "light" }: Look = {}) {
    const file = path.join(folder, "page.html");
    await writeFile(file, benchPage(results));
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    const url = pathToFileURL(file).href;
    await page.goto(url);
    await page.locator("#save:not([hidden])").waitFor();
    return { page, complaints, url, requests };
  }

  test.for([
    { width: 1280, colorScheme: "light" },
    { width: 1280, colorScheme: "dark" },
    { width: 400, colorScheme: "light" },
    { width: 400, colorScheme: "dark" },
  ] as const)("every chart is drawn and nothing hangs over at $width, $colorScheme", async (look) => {
    const { page, complaints, requests, url } = await open(benchResults(), look);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([url]);
    for (const summary of await page.locator("summary").all()) await summary.click();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
    const blue = await customColor(page, "blue");
    const charts = await canvases(page);
    expect(charts.map(({ id }) => id).join(" ")).toBe(
      "speed-0 speed-1 speed-2 overhead growth-0 growth-1 several-0 several-1 several-2 memory-0 memory-1 memory-2",
    );
    expect(charts.filter(({ colors }) => !colors.includes(blue))).toEqual([]);
    expect(charts.filter(({ width }) => width < 250)).toEqual([]);
  });

  test("text stands out from what is behind it, light and dark", async () => {
    const { page } = await open(benchResults());
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const contrasts = await textContrasts(page);
      expect(contrasts.length).toBeGreaterThan(100);
      expect(contrasts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
    }
  });

  test("charts follow the colour scheme while the page is open, and are light on paper", async () => {
    const { page } = await open(benchResults());
    const light = await customColor(page, "blue");
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await customColor(page, "blue");
    expect(dark).not.toBe(light);
    const drawnIn = async (color: string): Promise<boolean> =>
      (await canvases(page)).every(({ colors }) => colors.includes(color));
    await expect.poll(() => drawnIn(dark)).toBe(true);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await drawnIn(light)).toBe(true);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await drawnIn(dark)).toBe(true);
  });

  test("targets, figures and reasons are there as text", async () => {
    const { page } = await open(benchResults());
    const row = async (id: string): Promise<string> =>
      (await page.locator(`#${id}`).innerText()).replaceAll(/\s+/g, " ");
    expect(await page.locator(".summary").innerText()).toBe(
      "4 of 7 targets met, 2 missed (P2, P13), 1 not measured (P11).",
    );
    expect(await row("P1")).toMatch(/tiny 0\.993 × ≥ 0\.98 ✓ .*1\.1b 1\.001 × ≥ 0\.99 ✓ ✓ Met$/);
    expect(await row("P2")).toMatch(/0\.5b 0\.989 × ≥ 0\.99 ✗ ✗ Missed$/);
    expect(await row("P7")).toMatch(/≤ 15 µs median.* 9\.84 µs ≤ 15 ✓/);
    expect(await row("P11")).toMatch(/not in this run: it needs a GPU – Not measured$/);
    expect(await row("P13")).toMatch(/tiny 1\.201 × ≤ 1\.2 ✗/);
    expect(await row("P12")).toContain("1,235 MiB");
    expect(await row("method")).toContain("llama.node tiny the package @fugood/llama.node is not installed");
    await page.locator("#speed summary").click();
    expect(await page.locator("#speed tbody tr").count()).toBe(24);
    expect(await row("speed")).toMatch(/node-llama-cpp tiny 1 \d+\.\d/);
    for (const canvas of await page.getByRole("img").and(page.locator("canvas")).all())
      expect(await canvas.getAttribute("aria-label")).toMatch(/\w+.*: .*\.$/s);
  });

  test("a single model without a plain loop, targets or micro-benchmarks has a page too", async () => {
    const { page, complaints } = await open(smallBenchResults(), { width: 400 });
    expect(complaints).toEqual([]);
    expect((await canvases(page)).map(({ id }) => id)).toEqual(["speed-0", "overhead", "memory-0"]);
    expect(await page.locator("nav a").allInnerTexts()).toEqual(["Speed", "Overhead", "Memory", "Method"]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
  });

  test("all of the models table is to be seen at 400 pixels", async () => {
    const { page } = await open(smallBenchResults(), { width: 400 });
    const cells = page.locator("#method td, #method tbody th");
    expect(await cells.count()).toBe(6);
    const cut = `[...document.querySelectorAll("#method td, #method tbody th")].filter((cell) =>
      cell.getBoundingClientRect().right > 400 || cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
  });

  test("text of a result is text, whatever it looks like", async () => {
    const hostile = `</script><script>window.ran = 1</script><img src=x onerror="window.ran=1">'"&amp;<!--`;
    const small = smallBenchResults(hostile);
    const { machine } = small;
    const { page, complaints, requests, url } = await open({
      ...small,
      date: hostile,
      machine: { ...machine, cpu: hostile, os: hostile },
      versions: { [hostile]: hostile },
      skipped: [{ model: hostile, contender: hostile, reason: hostile }],
      rows: [{ id: hostile, what: hostile, target: hostile, figures: [], pass: null, note: hostile }],
    });
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(complaints).toEqual([]);
    expect(requests).toEqual([url]);
    expect(await page.locator("h3").first().innerText()).toBe(hostile);
    expect(await page.locator("#targets tbody th").textContent()).toBe(hostile);
    expect((await canvases(page)).length).toBe(3);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1280);
  });

  test("the results can be saved as the JSON they came from", async () => {
    const results = benchResults();
    const { page } = await open(results);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    expect(download.suggestedFilename()).toBe("llama-hooks-bench-2026-11-21.json");
    const saved = JSON.parse(await readFile(await download.path(), "utf8")) as BenchResults;
    const rounded = (_: string, value: unknown): unknown =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
    expect(saved).toEqual(JSON.parse(JSON.stringify(results, rounded)));
  });

  test("all of it can be reached with the keyboard", async () => {
    const { page } = await open(benchResults());
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    expect((await page.locator(".skip").boundingBox())?.width).toBeGreaterThan(50);
    await page.locator("#speed summary").focus();
    await page.keyboard.press("Enter");
    expect(await page.locator("#speed details").getAttribute("open")).toBe("");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("scroll");
  });
});

/** A custom property as the canvas has it: "0,114,178". */
async function customColor(page: Page, name: string): Promise<string> {
  const hex = await page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue("--${name}")`);
  return [1, 3, 5].map((at) => Number.parseInt(hex.trim().slice(at, at + 2), 16)).join(",");
}

/** Each canvas with the colours of its opaque pixels. */
function canvases(page: Page): Promise<{ id: string; width: number; colors: string[] }[]> {
  return page.evaluate(`[...document.querySelectorAll("canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colors.add(data.slice(i, i + 3).join());
    return { id: canvas.dataset.chart, width: canvas.clientWidth, colors: [...colors] };
  })`);
}

import { expect, test } from "vitest";
import { plainPaint } from "../../src/base/paint.js";
import { benchPage } from "../../bench/page/page.js";
import type { BenchResults, HookResult, Spread } from "../../src/bench/results/results.js";
import { spread } from "../../src/bench/results/statistics.js";
import { ownHooksText } from "../../src/bench/text/own-hooks-text.js";
import { smallBenchResults } from "../support/bench-results.js";

const called: HookResult = {
  name: "redact",
  point: "streamToken",
  location: "project/hooks.mjs:3",
  observe: false,
  fired: 384,
  matched: 384,
  calls: 384,
  failures: 0,
  callUs: 42,
  neverCalled: null,
  failure: null,
};
const nameless: HookResult = { ...called, name: "", location: "project/other.mjs:7", observe: true };
const failing: HookResult = {
  ...called,
  name: "<b>",
  failures: 2,
  failure: { code: "HOOK_FAILED", message: "now & then" },
};
const idle: HookResult = {
  ...called,
  name: "guard",
  point: "preToolCall",
  fired: 0,
  matched: 0,
  calls: 0,
  callUs: null,
  neverCalled: "its point fires in runs of sessions",
};

function results(ratio: Spread, hooks: readonly HookResult[]): BenchResults {
  const [without, own, addedUs] = [spread([50, 51, 52]), spread([48, 49, 50]), spread([700, 800, 900])];
  const files = ["--hooks hooks.mjs"];
  const ownHooks = { files, generations: 3, without, with: own, ratio, addedUs, hooks };
  return { ...smallBenchResults(), decode: [], ownHooks };
}

const slower = spread([0.95, 0.96, 0.97]);
const textAt = (width: number, given: BenchResults): string => ownHooksText(given, plainPaint, width);

test("the text has the cost of one's own hooks, and a line for each hook", () => {
  const text = textAt(80, results(slower, [called, nameless, failing, idle]));
  expect(text).toMatch(/^your hooks +49\.0 +0\.960 +0\.950–0\.970 +\+800 us$/m);
  expect(text).toMatch(/^redact +streamToken +384 +42 us +0 *$/m);
  expect(text).toMatch(/^other\.mjs:7 +streamToken +384 +42 us +0 +observer$/m);
  expect(text).toContain("Nobody waits for an observer");
  expect(text).toContain("HOOK_FAILED: <b> at streamToken: now & then");
  expect(text).toContain("never called: guard at preToolCall: its point fires in runs of sessions");
  expect(text).not.toContain("~");
});

test("a cost within the noise is not a figure", () => {
  const text = textAt(80, results(spread([0.95, 1.02, 0.98]), [called]));
  expect(text).toMatch(/^your hooks .* ~0\.980 .* in noise$/m);
  expect(text).toContain("some pairs were faster with the hooks, and others slower");
});

test("a hook whose line does not fit the width has a paragraph", () => {
  const long = { ...called, name: "redact-all-numbers-of-credit-cards-and-accounts" };
  const text = textAt(60, results(slower, [long, nameless, idle]));
  expect(text).toContain(`${long.name} at\nstreamToken\n  384 calls, 42 us a call, 0 failures\n`);
  expect(text).toContain("other.mjs:7 at streamToken\n  384 calls, 42 us a call, 0 failures, observer\n");
  for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
});

test("hooks of which none was called are said to be so", () => {
  expect(textAt(80, results(slower, [idle]))).toContain("None of your hooks was called.");
});

test("the page has a section for one's own hooks, with a link to it", () => {
  const page = benchPage(results(slower, [called, nameless, failing, idle]));
  expect(page).toContain('<a href="#own-hooks">Your hooks</a>');
  expect(page).toContain('<section id="own-hooks"');
  expect(page).toContain("project/other.mjs:7");
  expect(page).toContain("&lt;b&gt;");
  expect(page).toContain("HOOK_FAILED: now &amp; then");
  expect(page).toContain("never called: its point fires in runs of sessions");
  expect(page).not.toContain("within the noise");
  const noisy = benchPage(results(spread([0.95, 1.02]), [called]));
  expect(noisy).toContain("the difference is within the noise");
  expect(benchPage(smallBenchResults())).not.toContain("own-hooks");
});

import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";

const eight = Array.from({ length: 8 }, (_, index) => ({
  name: `speaker-${index}`,
  text: `I am speaker ${index}, and I say ${"la ".repeat(index + 1)}until I am done with ${index}.`,
}));
const scripts = eight.map(({ name, text }) => ({ when: name, replies: [text] }));

test("eight generations at once on four sequences all finish with their own text", async () => {
  const engine = await openEngine({ replies: ["Nobody."], scripts }, { parallel: 4 });
  const results = await Promise.all(eight.map(({ name }) => engine.generate(`Who are you, ${name}?`)));
  expect(results.map(({ text }) => text)).toEqual(eight.map(({ text }) => text));
  expect(results.map(({ finishReason }) => finishReason)).toEqual(eight.map(() => "stop"));
});

test("each of eight streams gets its own tokens only", async () => {
  const engine = await openEngine({ replies: ["Nobody."], scripts }, { parallel: 4 });
  const streams = eight.map(async ({ name }) => {
    let streamed = "";
    for await (const event of engine.generate(`Who are you, ${name}?`))
      if (event.type === "token") streamed += event.text;
    return streamed;
  });
  expect(await Promise.all(streams)).toEqual(eight.map(({ text }) => text));
});

test("one sequence serves any number of generations in turn", async () => {
  const engine = await openEngine({ replies: ["Nobody."], scripts }, { parallel: 1 });
  const results = await Promise.all(eight.map(({ name }) => engine.generate(`Who are you, ${name}?`)));
  expect(results.map(({ text }) => text)).toEqual(eight.map(({ text }) => text));
});

test("64 sequences can be decoded together", async () => {
  const engine = await openEngine({ replies: ["Nobody."], scripts }, { parallel: 64, contextSize: 256 });
  const all = Array.from({ length: 64 }, (_, index) => eight[index % 8] ?? eight[0]);
  const results = await Promise.all(all.map((speaker) => engine.generate(`Who are you, ${speaker?.name}?`)));
  expect(results.map(({ text }) => text)).toEqual(all.map((speaker) => speaker?.text));
});

test("a generation whose hook takes its time does not hold up the others", async () => {
  const engine = await openEngine({ replies: ["A slow answer."], scripts }, { parallel: 2 });
  const released = gate();
  const slow = engine.generate("Slowly, please", { tier: "slow" });
  engine.hooks.on("streamToken", async ({ meta }) => {
    if (meta.tier === "slow") await released.passed;
  });
  for (const { name, text } of eight) expect((await engine.generate(`Who are you, ${name}?`)).text).toBe(text);
  released.open();
  expect((await slow).text).toBe("A slow answer.");
});

test("a reader that takes its time gets everything in the end", async () => {
  const engine = await openEngine([{ pieces: ["la ", "di "], endless: true }]);
  const generation = engine.generate("Sing", { maxTokens: 500 });
  let streamed = "";
  for await (const event of generation) {
    if (event.type !== "token") continue;
    streamed += event.text;
    if (event.index % 100 === 0) await engine.generate("Sing", { maxTokens: 20 });
  }
  expect(streamed).toBe("la di ".repeat(250));
});

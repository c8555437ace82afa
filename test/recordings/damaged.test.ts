// Recordings that somebody has damaged: they replay, or they are RECORDING_INVALID with the file and the place.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readRecording, type SessionOptions, tool, type Tool } from "../../src/index.js";
import { replayRun } from "../../src/testing/index.js";
import { amount, isLong } from "../support/amount.js";
import { rejection, tempDir } from "../support/engine.js";
import { expectSame, record } from "../support/recordings.js";
import { asks, clock, weather } from "../support/sessions.js";

const options: SessionOptions = {
  tools: [weather, clock],
  topK: 5,
  maxIterations: 5,
  system: "Be brief.",
  tier: "lead",
  tiers: { lead: { description: "Leads.", tools: ["weather"] }, coder: { system: "You are coder.", temperature: 0 } },
  controlTools: ["delegate"],
  permissions: [{ deny: "clock", when: { "args.a": "b*" } }, { allow: "*" }],
  phases: { calm: { temperature: 0.5 } },
  history: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "weather", args: { city: "Rome" } }] },
    { role: "tool", content: "Warm", toolCallId: "c1", toolName: "weather" },
  ],
};

/** The text of a recording that has something everywhere. */
async function recorded(): Promise<string> {
  const steps = [
    { tool: "weather", args: { city: "Oslo" } },
    { tier: "coder", task: "Write." },
  ];
  const { file } = await record({
    script: {
      replies: [asks("Oslo"), "Done.", "Planned."],
      scripts: [{ when: "You are coder.", replies: ["Written."] }],
    },
    options,
    inputs: [
      ["Go", { toolChoice: "auto" }],
      ["Go on", { plan: { flow: "sequence", steps } }],
    ],
  });
  return readFile(file, "utf8");
}

type Place = readonly (string | number)[];

function places(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [at];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...members.flatMap(([key, member]) => places(member, [...at, key]))];
}

/** Those that are replayed, too, where they can be read. */
const replayed: unknown[] = [undefined, 1e300, "x"];
const values: unknown[] = [undefined, null, -1, 2.5, 1e300, "x", "", "a\0b", true, {}, { a: 1 }, [null]];

/** A copy in which something else stands at a place; `undefined`: nothing. */
function damaged(text: string, at: Place, value: unknown): string {
  const whole = JSON.parse(text) as Record<string | number, unknown>;
  let parent = whole;
  for (const key of at.slice(0, -1)) parent = parent[key] as typeof parent;
  const key = at.at(-1) as string | number;
  if (value !== undefined) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return JSON.stringify(whole);
}

test("whatever stands at any place of a recording, it replays or is RECORDING_INVALID with file and place", async () => {
  const text = await recorded();
  const file = path.join(await tempDir(), "damaged.json");
  const expectInvalid = (error: unknown, at: Place): void => {
    expect(error, at.join("/")).toMatchObject({ code: "RECORDING_INVALID" });
    expect((error as Error).message).toContain(file);
    expect((error as Error).message).toMatch(at[0] === "format" || at[0] === "version" ? /it is / : /\/[a-z]*/);
  };
  const outcomes = { read: 0, refused: 0 };
  for (const [place, at] of places(JSON.parse(text)).slice(1).entries()) {
    // A sample puts one value at each place, in turn.
    for (const value of isLong ? values : [values[place % values.length]]) {
      await writeFile(file, damaged(text, at, value));
      const read = await readRecording(file).catch((error: unknown) => error);
      if (read instanceof Error) {
        expectInvalid(read, at);
        outcomes.refused++;
        continue;
      }
      outcomes.read++;
      // The replay only compares the other values, so a damaged one cannot make it fail.
      const given =
        replayed.includes(value) && (["options", "tools", "models"].includes(String(at[0])) || at[2] === "options");
      const failed = given && (await replayRun(file).catch((error: unknown) => error));
      if (failed instanceof Error) expectInvalid(failed, at);
    }
  }
  expect(outcomes.read).toBeGreaterThan(amount(15, 200));
  expect(outcomes.refused).toBeGreaterThan(amount(80, 1000));
}, 600_000);

test.each<[string, (text: string) => string, RegExp]>([
  ["cut", (text) => text.slice(0, -20), /JSON/],
  ["with a NUL between", (text) => text.replace("{", "{\0"), /JSON/],
  ["empty", () => "", /JSON/],
  ["an array", () => "[]", /no llama-hooks recording/],
  [
    "with an own __proto__",
    (text) => text.replace('"options": {', '"options": {"__proto__": {"seed": 1},'),
    /\/options/,
  ],
  ["with __proto__ at the top", (text) => text.replace("{", '{"__proto__": 1,'), /__proto__/],
  ["with two tools of a name", (text) => text.replaceAll('"clock"', '"weather"'), /\/tools/],
  ["with a model twice", (text) => text.replace(/"models": \[[^\]]*\]/, '"models": ["a", "a"]'), /\/models/],
])("a recording that is %s is RECORDING_INVALID with the file", async (_, change, why) => {
  const file = path.join(await tempDir(), "damaged.json");
  await writeFile(file, change(await recorded()));
  const error = await rejection(replayRun(file));
  expect(error).toMatchObject({ code: "RECORDING_INVALID", message: expect.stringMatching(why) as string });
  expect((error as Error).message).toContain(file);
});

test("a recording whose tool's parameters are no JSON Schema is refused when it is read, with the cause", async () => {
  const counts = tool({ name: "counts", parameters: { type: "object" }, run: () => "1" }) as Tool;
  const { recording } = await record({ script: ["Done."], options: { tools: [counts] } });
  const tools = [{ ...recording.tools[0], parameters: { type: "spaceship" } }];
  const error = await rejection(replayRun({ ...recording, tools } as typeof recording));
  expect(error).toMatchObject({
    code: "RECORDING_INVALID",
    message: expect.stringMatching(/^The argument .*\/tools\/0: .*counts/) as string,
    cause: { code: "INVALID_SCHEMA" },
  });
});

test("a session that lost a tool to its schema is recorded without the tool, and replays", async () => {
  const broken = tool({ name: "broken", parameters: { type: "spaceship" } as never, run: () => "1" }) as Tool;
  const scene = await record({ script: [asks("Oslo"), "Done."], options: { tools: [broken, weather] } });
  expect(scene.recording.tools.map(({ name }) => name)).toEqual(["weather"]);
  await expectSame(scene);
});

test("a recording with values thousands of levels deep is RECORDING_INVALID, wherever they are", async () => {
  const file = path.join(await tempDir(), "deep.json");
  const text = await recorded();
  const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  for (const at of [
    ["options", "permissions"],
    ["tools", 0, "parameters", "properties"],
    ["results", 0, "args"],
    ["history"],
  ] satisfies readonly Place[]) {
    for (const levels of [600, 5_000]) {
      await writeFile(file, damaged(text, at, "DEEP").replace('"DEEP"', deep(levels)));
      for (const read of [readRecording, replayRun]) {
        expect(await rejection(read(file)), at.join("/")).toMatchObject({
          code: "RECORDING_INVALID",
          message: expect.stringMatching(/deep\.json is no recording: .*more than 512 levels deep/) as string,
        });
      }
    }
  }
});

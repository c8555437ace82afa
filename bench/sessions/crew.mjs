// The participants of the soak of sessions: a model that calls tools by a script, and tools of many kinds.
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "../../dist/index.js";
import { writeScriptModel } from "../../dist/testing/index.js";

const calls = (...list) => ({ toolCalls: list.map(([name, args = {}]) => ({ name, args })) });
const weather = (city) => ["weather", { city }];

/** All turns that a run can take, in sequence. A reply with calls is followed by a reply about their results. */
const cycle = [
  calls(weather("Oslo")),
  "It is cold in Oslo.",
  calls(weather("Rome"), weather("Bergen"), ["clock"]),
  "Both of them, at noon.",
  calls(["broken"]),
  "What a pity.",
  calls(["hangs"], weather("Turin")),
  "That took too long.",
  calls(["forbidden"], ["clock"]),
  "So I may not.",
  calls(["delegate", { tier: "coder", task: "Write it." }]),
  "It is written.",
  calls(weather("")),
  "I forgot the city.",
  calls(["asked"]),
  "As you like.",
  calls(["slow", { ms: 3 }], ["slow", { ms: 1 }]),
  calls(["rejects"]),
  "It went on and on, with wind from the north and rain from the west, until nobody knew what had been asked at first.",
];

/** Longer than a conversation gets before it is summarised. */
const cycles = 4;

export function writeCrewModel(file) {
  return writeScriptModel(file, {
    contextLength,
    replies: Array.from({ length: cycles }, () => cycle).flat(),
    afterLast: "repeat",
    scripts: [
      { when: "Summarise the conversation", replies: ["There was talk of the weather."] },
      { when: "You are coder.", replies: [calls(["clock"], weather("Narvik")), "Written at noon."] },
    ],
  });
}

export const contextLength = 4096;

/** `ran` counts the calls of each tool's function, by its name. */
export function sessionOptions(ran) {
  const made = (name, run, more = {}) =>
    tool({
      name,
      ...more,
      run: (args, context) => {
        ran[name] = (ran[name] ?? 0) + 1;
        return run(args, context);
      },
    });
  const takes = (properties) => ({
    parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
  });
  return {
    tier: "lead",
    tiers: { lead: { system: "You are lead." }, coder: { system: "You are coder.", tools: ["clock", "weather"] } },
    controlTools: ["delegate"],
    permissions: [{ ask: "asked" }, { allow: "**" }],
    temperature: 0,
    tools: [
      made("weather", ({ city }) => `${city}: 4 degrees`, takes({ city: { type: "string" } })),
      made("clock", () => "noon"),
      made("slow", async ({ ms }, { signal }) => sleep(ms, "slowly", { signal }), takes({ ms: { type: "integer" } })),
      made("broken", () => {
        throw new Error("out of order");
      }),
      made("rejects", () => Promise.reject(new RangeError("too far"))),
      made("hangs", () => new Promise(() => {}), { deadlineMs: 10 }),
      made("forbidden", () => "it ran"),
      made("asked", () => "asked and done"),
    ],
  };
}

// Clients x chat templates x exercises: each published client against this server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, clients } from "./clients.js";
import { Driver, isInstalled } from "./driver.js";
import { families, type Family, weather } from "./families.js";
import { Served } from "./served.js";
import { type Exercise, exercises, history, maxTokens, retries, texts, wanted } from "./situations.js";

let served: Served;
beforeAll(async () => {
  served = await Served.open();
});
afterAll(() => served.close());

/** Models do not reason in Messages unless the client asks for it. */
const reasoningOf = ({ protocol }: Client, exercise: Exercise): false | undefined =>
  protocol === "messages" && exercise !== "reasoning" ? false : undefined;

/** The task of a client: an exercise, and the models for it. */
async function taskOf(client: Client, family: Family, exercise: Exercise): Promise<object> {
  const reasoning = reasoningOf(client, exercise);
  const [first, second] = exercise === "compaction" ? (["summary", "continued"] as const) : ([exercise] as const);
  const model = await served.model(family, first, reasoning);
  const next = second === undefined ? model : await served.model(family, second, reasoning);
  const { url, origin } = served.server;
  return {
    exercise,
    model,
    next,
    url,
    origin,
    prompt: texts.prompt,
    goOn: texts.goOn,
    tool: weather,
    maxTokens,
    history,
  };
}

/** Results that models have got of the calls of a conversation, in their order. */
function results(asked: ReturnType<Served["takeAsked"]>): readonly string[] {
  const last = asked.at(-1) ?? [];
  const ids = last.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  return last
    .filter(({ role, toolCallId }) => role === "tool" && ids.includes(toolCallId ?? ""))
    .map((one) => one.content);
}

describe.each(clients)("$name", (client) => {
  const { language, driver: file, variant } = client;
  describe.skipIf(!isInstalled(language))(
    isInstalled(language) ? "" : "skipped: npm run test:clients installs it",
    () => {
      let driver: Driver;
      beforeAll(() => {
        driver = new Driver(language, file, variant);
        return driver.ready();
      });
      afterAll(() => driver.close());

      describe.each(families)("%s", (family) => {
        const own = client.retries === true ? retries : [];
        for (const exercise of [...exercises, ...own].filter((one) => client.lacks?.includes(one) !== true)) {
          for (const how of ["whole", "streamed"] as const) {
            test(`${exercise}, ${how}`, async () => {
              const reasoning =
                exercise === "reasoning" && client.hidesReasoning !== true && (await served.thinks(family));
              const cut = client.hidesCut !== "any" && client.hidesCut !== how;
              const task = await taskOf(client, family, exercise);
              served.takeAsked();
              const outcome = await driver.run({ ...task, stream: how === "streamed" });
              // Parsers count white space between parts to either part.
              const trimmed =
                outcome.reasoning === undefined ? outcome : { ...outcome, reasoning: outcome.reasoning.trim() };
              expect(trimmed).toMatchObject(wanted(exercise, { reasoning, cut }));
              if (exercise === "cut") {
                expect(outcome.begun).not.toBe("");
                expect(texts.long.startsWith(outcome.begun ?? "-")).toBe(true);
              }
              const cities = outcome.calls?.map(({ args }) => (args as { city: string }).city) ?? [];
              if (cities.length > 0 && client.writesResults !== true)
                expect(results(served.takeAsked())).toEqual(
                  cities.map((city, index) =>
                    exercise === "retried" && index === 0
                      ? (expect.stringContaining("has no number") as string)
                      : `3 degrees in ${city}`,
                  ),
                );
            });
          }
        }
      });
    },
  );
});

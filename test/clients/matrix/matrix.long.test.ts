// Clients x chat templates x situations: each client, as it is published, against this server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, clients } from "./clients.js";
import { Driver, isInstalled } from "./driver.js";
import { families, type Family, knownFault, weather } from "./families.js";
import { Served } from "./served.js";
import { type Deed, deeds, history, maxTokens, texts, wanted } from "./situations.js";

let served: Served;
beforeAll(async () => {
  served = await Served.open();
});
afterAll(() => served.close());

/** Models do not reason in Messages unless the client asks for it. */
const reasoningOf = ({ protocol }: Client, deed: Deed): false | undefined =>
  protocol === "messages" && deed !== "reasoning" ? false : undefined;

/** What the client is told to do, and the models that it asks. */
async function taskOf(client: Client, family: Family, deed: Deed): Promise<object> {
  const reasoning = reasoningOf(client, deed);
  const [first, second] = deed === "compaction" ? (["summary", "continued"] as const) : ([deed] as const);
  const model = await served.model(family, first, reasoning);
  const next = second === undefined ? model : await served.model(family, second, reasoning);
  const { url, origin } = served.server;
  return { deed, model, next, url, origin, prompt: texts.prompt, goOn: texts.goOn, tool: weather, maxTokens, history };
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
        for (const deed of deeds.filter((one) => client.lacks?.includes(one) !== true)) {
          const hasResults = deed !== "compaction" && client.tellsResults !== true;
          const fault = hasResults ? knownFault(family, deed, reasoningOf(client, deed)) : undefined;
          for (const how of ["whole", "streamed"] as const) {
            const title = `${deed}, ${how}${fault === undefined ? "" : ` (fails: ${fault})`}`;
            (fault === undefined ? test : test.fails)(title, async () => {
              const shows = deed === "reasoning" && client.hidesReasoning !== true && (await served.thinks(family));
              const task = await taskOf(client, family, deed);
              served.takeAsked();
              const told = await driver.run({ ...task, stream: how === "streamed" });
              // Parsers count white space between parts to either part.
              const trimmed = told.reasoning === undefined ? told : { ...told, reasoning: told.reasoning.trim() };
              expect(trimmed).toMatchObject(wanted(deed, shows));
              if (deed === "cut") expect(texts.long.startsWith(told.begun ?? "-")).toBe(true);
              const cities = told.calls?.map(({ args }) => (args as { city: string }).city) ?? [];
              if (cities.length > 0 && client.tellsResults !== true)
                expect(results(served.takeAsked())).toEqual(cities.map((city) => `3 degrees in ${city}`));
            });
          }
        }
      });
    },
  );
});

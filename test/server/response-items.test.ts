// Requests that refer to items of earlier answers.
import { expect, test } from "vitest";
import { cancel } from "../../src/index.js";
import { rejection } from "../support/engine.js";
import { ask, thinks } from "../support/http/responses.js";
import { clientOf, openServer } from "../support/http/server.js";

const keys = [
  { key: "a-key-of-sixteen-letters", name: "a" },
  { key: "b-key-of-sixteen-letters", name: "b" },
];
const reference = (id: string): { type: "item_reference"; id: string } => ({ type: "item_reference", id });

test.each([false, true])(
  "a request refers to the reasoning and the message of an answer (streamed: %s)",
  async (stream) => {
    const { client, engine } = await openServer({ replies: [thinks, "Fine."], afterLast: "repeat" });
    const asked = ask({});
    const response = await (stream ? client.responses.stream(asked).finalResponse() : client.responses.create(asked));
    const { output } = response;
    expect(output).toHaveLength(2);
    const seen: unknown[] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void seen.push(...messages));
    const input = [
      { role: "user" as const, content: "Hi" },
      ...output.map(({ id }) => reference(id ?? "")),
      { role: "user" as const, content: "And?" },
    ];
    await client.responses.create(ask({ input }));
    expect(seen).toMatchObject([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello there.", reasoning: "Let me think." },
      { role: "user", content: "And?" },
    ]);
  },
);

test("an item is referred to once in a request", async () => {
  const { client } = await openServer({ replies: ["Fine."], afterLast: "repeat" });
  const { output } = await client.responses.create(ask({}));
  const twice = [0, 1].map(() => reference(output[0]?.id ?? ""));
  const refusal = await rejection(client.responses.create(ask({ input: twice })));
  expect(refusal).toMatchObject({ status: 400, param: "input[1].id" });
});

test("the oldest items are dropped when all have more than 8 MiB in UTF-8", async () => {
  const { client, engine } = await openServer({ replies: ["Fine."], afterLast: "repeat" });
  const large = "é".repeat(1_500_000);
  const registration = engine.hooks.on("postGenerate", () => ({ content: large }));
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await client.responses.create(ask({}))).output[0]?.id ?? "");
  registration.dispose();
  engine.hooks.on("preGenerate", () => cancel("it was found"));
  const refusals = await Promise.all(
    ids.map((id) => rejection(client.responses.create(ask({ input: [reference(id)] })))),
  );
  expect(refusals).toMatchObject([{ status: 404 }, { status: 403 }, { status: 403 }]);
});

test("an item that is not kept, or is another key's, is not found", async () => {
  const { client, server } = await openServer({ replies: ["Fine."], afterLast: "repeat" }, { keys });
  const [kept, dropped] = await Promise.all([{}, { store: false }].map((more) => client.responses.create(ask(more))));
  const refused = async (id: string, by = client): Promise<unknown> =>
    by.responses.create(ask({ input: [reference(id)] })).then(
      () => "taken",
      (error: { status: number; code: string; param: string }) => [error.status, error.code, error.param],
    );
  const missing = [404, "item_not_found", "input[0].id"];
  expect(await refused(dropped?.output[0]?.id ?? "")).toEqual(missing);
  expect(await refused("msg_unknown")).toEqual(missing);
  expect(await refused(kept?.output[0]?.id ?? "", clientOf(server, keys[1]?.key))).toEqual(missing);
  expect(await refused(kept?.output[0]?.id ?? "")).toBe("taken");
});

// Responses that hooks veto, change or end.
import { expect, test } from "vitest";
import { cancel, defineHooks } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { ask, eventsIn, typesOf, weather } from "../support/http/responses.js";
import { asksWeather, openServer, refusalOf, serveEngine } from "../support/http/server.js";

test("a veto in an answer is a refusal with its reason, without the calls; one before it is an error", async () => {
  const engine = await openEngine({ replies: [{ text: "One two three.", ...asksWeather }], afterLast: "repeat" });
  let isBefore = false;
  engine.hooks.use([
    defineHooks("guard", {
      preGenerate: () => (isBefore ? cancel("not here") : undefined),
      postGenerate: ({ content }) => (content.includes("three") ? { halt: "no threes" } : undefined),
    }),
  ]);
  const { client, post } = await serveEngine(engine);
  const refused = {
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: [
      {
        type: "message",
        content: [
          { type: "output_text", text: "One two three." },
          { type: "refusal", refusal: "no threes" },
        ],
      },
    ],
  };
  const whole = await client.responses.create(ask({ tools: [weather] }));
  expect(whole).toMatchObject(refused);
  expect(whole.output).toHaveLength(1);
  const stream = client.responses.stream(ask({ tools: [weather] }));
  const events = await eventsIn(stream);
  expect(await stream.finalResponse()).toMatchObject(refused);
  expect(typesOf(events)).toContain("refusal.delta");
  isBefore = true;
  for (const more of [{}, { stream: true }])
    expect(await refusalOf(await post("/v1/responses", { ...ask(), ...more }))).toEqual([
      403,
      "permission_error",
      "hook_cancelled",
      null,
    ]);
});

test("a refusal is added to what has gone out", async () => {
  const { client, engine } = await openServer(["One two three."]);
  // A hook that is added too late to hold the stream.
  engine.hooks.on("streamToken", () => void engine.hooks.on("postGenerate", () => ({ halt: "no threes" })), {
    once: true,
  });
  expect(await client.responses.stream(ask()).finalResponse()).toMatchObject({
    status: "incomplete",
    output: [
      {
        status: "incomplete",
        content: [
          { type: "output_text", text: "One two three." },
          { type: "refusal", refusal: "no threes" },
        ],
      },
    ],
  });
});

test("with a hook that may change the answer, the stream is the changed answer", async () => {
  const engine = await openEngine(["My word is tulip."]);
  engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace("tulip", "***") }));
  const { post } = await serveEngine(engine);
  const response = await post("/v1/responses", { ...ask(), stream: true });
  expect(response.headers.get("llama-hooks-stream")).toBe("held");
  const text = await response.text();
  expect(text).toContain("***");
  expect(text).not.toContain("tulip");
});

test("an answer that a hook changes after a part of it has gone out is a response that failed", async () => {
  const { client, engine } = await openServer(["One two three."]);
  // A hook that is added too late to hold the stream.
  engine.hooks.on("streamToken", () => void engine.hooks.on("postGenerate", () => ({ content: "Nothing." })), {
    once: true,
  });
  const stream = client.responses.stream(ask());
  const events = await eventsIn(stream);
  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "answer_changed", type: "server_error" } },
  });
  expect(await stream.finalResponse()).toMatchObject({ status: "failed", output: [{ status: "incomplete" }] });
});

test("an answer that a hook adds to after a part of it has gone out gets the rest", async () => {
  const { client, engine } = await openServer(["One two three."]);
  engine.hooks.on(
    "streamToken",
    () => void engine.hooks.on("postGenerate", ({ content }) => ({ content: `${content} Four.` })),
    { once: true },
  );
  const response = await client.responses.stream(ask()).finalResponse();
  expect([response.status, response.output_text]).toEqual(["completed", "One two three. Four."]);
});

test("what goes wrong before the first event of a stream that has begun is a response that failed", async () => {
  const { client, engine } = await openServer(["One two."], { keepAliveMs: 5 });
  const goOn = gate();
  engine.hooks.on("preGenerate", async () => {
    await goOn.passed;
    return cancel("too late");
  });
  const stream = await client.responses.create({ ...ask(), stream: true }); // resolves with the status
  goOn.open();
  const events = await eventsIn(stream);
  expect(typesOf(events)).toEqual(["created", "in_progress", "failed"]);
  expect(events.at(-1)).toMatchObject({ response: { error: { code: "hook_cancelled", message: "too late" } } });
});

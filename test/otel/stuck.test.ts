// A call that is stuck in llama.cpp when the engine closes: its spans end, with the error STUCK.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonLines, startScript } from "../fixtures/child.js";
import { stickLibrary, whyNotStuck as why } from "../fixtures/stick.js";
import { scriptModel } from "../support/engine.js";

describe.skipIf(why)(`a call that is stuck${why ? ` (skipped: ${why})` : ""}`, () => {
  let made: Awaited<ReturnType<typeof stickLibrary>> | undefined;
  beforeAll(async () => void (made = await stickLibrary()));
  afterAll(() => made?.remove());

  test("the spans of a run and its model call end with STUCK when the engine closes", async () => {
    const code = `
      import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
      import { instrument } from "llama-hooks/otel";
      const exporter = new InMemorySpanExporter();
      instrument({ tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }) });
      const engine = await createEngine({ model, ...onCpu, closeTimeoutMs: 400 });
      const run = engine.session().run("long ".repeat(700)).then(() => "done", ({ code }) => code);
      await new Promise((resolve) => process.once("SIGUSR2", resolve));
      const close = await engine.close().then(() => "done", ({ code }) => code);
      const spans = exporter.getFinishedSpans().filter(({ name }) => !name.startsWith("load_model"));
      const ended = spans.map(({ name, status, attributes }) => [name, status.code, attributes["error.type"]]);
      console.log(JSON.stringify({ close, run: await run, spans: ended.sort() }));
      process.exit(0);`;
    const model = await scriptModel([{ text: " la di da", endless: true }]);
    const child = startScript(code, model, [], { LD_PRELOAD: made?.library, STICK_DECODE: "300" });
    // The process waits for this signal; the timer keeps it from ending before.
    await child.said("stuck\n");
    child.process.kill("SIGUSR2");
    const { stdout } = await child.ended;
    const error = 2; // SpanStatusCode.ERROR
    expect(jsonLines(stdout.replaceAll("stuck\n", ""))).toEqual([
      {
        close: "STUCK",
        run: "STUCK",
        spans: [
          ["chat default", error, "STUCK"],
          ["invoke_agent", error, "STUCK"],
        ],
      },
    ]);
  });
});

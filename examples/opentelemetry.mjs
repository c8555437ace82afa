// OpenTelemetry: the spans of an agent's run, printed as they end. A hook vetoes one call of a tool, which is an event of
// the run's span. Needs `npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/context-async-hooks`.
// Run: node examples/opentelemetry.mjs
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { cancel, createEngine, tool } from "llama-hooks";
import { instrument } from "llama-hooks/otel";

// An application sets this up once, for all of its libraries.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] });
trace.setGlobalTracerProvider(provider);

const telemetry = instrument();
const engine = await createEngine();
const calculator = tool({
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  run: ({ expression }) => {
    const [left, right] = expression.split("*").map(Number);
    return String(left * right);
  },
});

const session = engine.session({ tools: [calculator], temperature: 0 });
await trace.getTracer("app").startActiveSpan("request", async (span) => {
  await session.run("What is 12 * 7?"); // its spans are parts of the request's
  engine.hooks.on("preToolCall", () => cancel("no more sums"), { name: "no-sums" });
  await session.run("What is 12 * 8?");
  span.end();
});

await engine.close();
telemetry.dispose();
await provider.shutdown();

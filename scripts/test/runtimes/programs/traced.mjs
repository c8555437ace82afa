// Subscribes to a channel of the trace, as llama-hooks/otel does.
import { tracingChannel } from "node:diagnostics_channel";
import { createEngine } from "llama-hooks";

const published = [];
const names = ["start", "end", "asyncStart", "asyncEnd", "error"];
const subscriber = Object.fromEntries(names.map((name) => [name, () => void published.push(name)]));
tracingChannel("llama-hooks:generation").subscribe(subscriber);
const engine = await createEngine({ gpu: false, threads: 1 });
await engine.generate("Hello!", { temperature: 0 });
console.log(...published);
await engine.close();

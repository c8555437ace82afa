// Loads a model and computes a token with it, in a child process that probe.ts starts, and prints one line of JSON.
// Must not: be imported; the file may crash or hang the process.
import { text } from "node:stream/consumers";
import { nativeAddon, type NativeEngine, type NativeTask, type OnEnd } from "../native/addon.js";
import type { ProbeReply, ProbeRequest } from "./probe.js";

const ignore = (): undefined => undefined;
const id = "probe";

class Failed extends Error {
  readonly json: string;

  constructor(json: string) {
    super(json);
    this.json = json;
  }
}

function ended(start: (onEnd: OnEnd) => NativeTask): Promise<string> {
  return new Promise((resolve, reject) => {
    start((status, json) => (status === 0 ? resolve(json) : reject(new Failed(json))));
  });
}

/** A model that only embeds cannot generate. */
async function compute(engine: NativeEngine): Promise<void> {
  const generate = JSON.stringify({ prompt: "a", model: id, params: { max_tokens: 1, ignore_eos: true } });
  const embed = JSON.stringify({ texts: ["a"], model: id });
  try {
    await ended((onEnd) => engine.generate(generate, ignore, onEnd, false, 0));
  } catch (error) {
    const { code } = JSON.parse((error as Failed).json) as { readonly code: string };
    if (code !== "UNSUPPORTED_BY_MODEL") throw error;
    await ended((onEnd) => engine.embed(embed, onEnd));
  }
}

async function probe({ engine: options, model }: ProbeRequest): Promise<ProbeReply> {
  try {
    const engine = nativeAddon().createEngine(options, ignore, ignore, ignore, () => 0, ignore, ignore);
    await ended((onEnd) => engine.loadModel(id, model, ignore, onEnd, false));
    await compute(engine);
    return { info: engine.describeModel(id), error: null };
  } catch (error) {
    const native = (error as { native?: object }).native;
    if (error instanceof Failed) return { info: null, error: error.json };
    if (native !== undefined) return { info: null, error: JSON.stringify(native) };
    throw error;
  }
}

async function main(): Promise<void> {
  nativeAddon().logToStderr(3);
  const reply = await probe(JSON.parse(await text(process.stdin)) as ProbeRequest);
  process.stdout.write(`${JSON.stringify(reply)}\n`, () => process.exit());
}

void main();

// Measures what an inspector costs while no page is open: `node bench/inspector.mjs [ROUNDS]`, after `npm run
// build:ts`. One process, one engine with the bundled model; runs of an agent, and generations with a hook on every
// token, with and without an inspector in turn. Ratios are taken within a round.
import { bundledModel, createEngine, tool } from "llama-hooks";
import { inspect } from "llama-hooks/inspector";

const rounds = Number(process.argv[2] ?? 7);
const engine = await createEngine({ model: bundledModel, gpu: false, threads: 1 });
engine.hooks.on("streamToken", () => undefined, { name: "look" });
const calculator = tool({ name: "calculator", run: () => "84" });

async function runs() {
  const begin = performance.now();
  for (let count = 0; count < 4; count++) {
    const session = engine.session({ tools: [calculator], temperature: 0 });
    await session.run("What is 12 * 7?", { maxTokens: 64 });
    await session.close();
  }
  return performance.now() - begin;
}

async function tokens() {
  const begin = performance.now();
  const { usage } = await engine.generate("Tell me a long story.", { maxTokens: 256, temperature: 1, seed: 1 });
  return (performance.now() - begin) / usage.completionTokens;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function ratio(work, options) {
  const inspected = async () => {
    const inspector = await inspect(engine, options);
    const took = await work();
    await inspector.close();
    return took;
  };
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const pair = round % 2 === 0 ? [await inspected(), await work()] : [await work(), await inspected()].toReversed();
    ratios.push(pair[0] / pair[1]);
  }
  return median(ratios);
}

await runs();
await tokens();
for (const values of ["none", "left", "raw"])
  for (const [name, work] of [
    ["runs of an agent", runs],
    ["tokens with a hook", tokens],
  ])
    console.log(
      `values "${values}", ${name}: ${(await ratio(work, { values })).toFixed(3)} x the time without an inspector`,
    );
await engine.close();

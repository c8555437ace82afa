// Helpers of P14 to P31: an engine that is always closed, and options that not every engine has.
import { loadChecks } from "../../dist/generated/parameters.js";
import { createEngine } from "../../dist/index.js";

/** The raw prompt, the most likely token each time, and no end before `maxTokens`. */
export const plainly = { raw: true, temperature: 0, ignoreEos: true };

/** Runs `work` with an engine of these options. */
export function withEngine(options, work) {
  return withEngines([options], ([engine]) => work(engine));
}

/** Runs `work` with an engine for each of these options. */
export async function withEngines(all, work) {
  const engines = [];
  try {
    for (const options of all) engines.push(await createEngine(options));
    return await work(engines);
  } finally {
    for (const engine of engines) await engine.close();
  }
}

/** True if this engine's loads have the option. */
export function hasLoadOption(name) {
  return Object.hasOwn(loadChecks, name);
}

/** The options that this engine knows. */
export function knownOptions(options) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => hasLoadOption(name)));
}

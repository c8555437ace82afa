// What the measurements of P14 to P22 share: an engine that is closed in any case, and options that not every engine has.
// Must not: time anything.
import { loadChecks } from "../../dist/generated/parameters.js";
import { createEngine } from "../../dist/index.js";

/** The prompt as it is, the likeliest token each time, and no end before `maxTokens`. */
export const plainly = { raw: true, temperature: 0, ignoreEos: true };

/** Runs `work` with an engine of these options. */
export async function withEngine(options, work) {
  const engine = await createEngine(options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Whether models of this engine are loaded with such an option. */
export function hasLoadOption(name) {
  return Object.hasOwn(loadChecks, name);
}

/** Those of the options that this engine knows. */
export function knownOptions(options) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => hasLoadOption(name)));
}

// Creates an engine in a child process that engine-trial.ts starts, and prints one line of JSON.
// Must not: be imported; a broken driver, or a server on the network, crashes or hangs the process.
import { nativeAddon } from "./addon.js";

const [optionsJson = "{}"] = process.argv.slice(2);
const nobody = (): undefined => undefined;

function tryEngine(): object {
  try {
    const engine = nativeAddon().createEngine(optionsJson, nobody, nobody, nobody, () => 0, nobody, nobody);
    return { devices: (JSON.parse(engine.systemInfo()) as { devices: object[] }).devices };
  } catch (error) {
    const { code, message } = (error as { native?: { code: string; message: string } }).native ?? {
      code: null,
      message: String(error),
    };
    return { code, message };
  }
}

process.stdout.write(`${JSON.stringify(tryEngine())}\n`, () => process.exit());

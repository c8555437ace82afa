// Creates an engine in a child process that engine-trial.ts starts, and prints one line of JSON.
// Must not: be imported; a broken driver, or a server on the network, crashes or hangs the process.
import { nativeAddon } from "./addon.js";

const [optionsJson = "{}"] = process.argv.slice(2);
const ignore = (): undefined => undefined;

function tryEngine(): object {
  try {
    const engine = nativeAddon().createEngine(optionsJson, ignore, ignore, ignore, () => 0, ignore, ignore);
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

// Loads a GPU module in a child process that gpu-trial.ts starts, and prints one line of JSON.
// Must not: be imported; a broken driver crashes or hangs the process.
import { nativeAddon } from "./addon.js";
import { findAddon } from "./find-addon.js";

const [module] = process.argv.slice(2);
const nobody = (): undefined => undefined;

function tryModule(): object {
  try {
    const options = JSON.stringify({ libraries: findAddon().libraries, gpu_module: module, gpu: true });
    const engine = nativeAddon().createEngine(options, nobody, nobody, nobody, () => 0, nobody);
    return { devices: (JSON.parse(engine.systemInfo()) as { devices: object[] }).devices };
  } catch (error) {
    const { code, message } = (error as { native?: { code: string; message: string } }).native ?? {
      code: null,
      message: String(error),
    };
    return { code, message };
  }
}

process.stdout.write(`${JSON.stringify(tryModule())}\n`, () => process.exit());

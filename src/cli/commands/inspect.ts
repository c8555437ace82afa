// `llama-hooks inspect`: shows saved traces and recordings in a page until a signal ends it.
import { stopSignals } from "../../base/platform-process.js";
import { inspectFiles } from "../../inspector/index.js";
import { exitCodes } from "../process/exit.js";
import { interruptible } from "../process/interrupt.js";
import { Terminal } from "../process/terminal.js";

/** Returns the exit code: 0 when a signal, or the loss of stdout, has ended it. */
export async function inspectSaved(files: readonly string[], { port }: { readonly port: number }): Promise<number> {
  return interruptible(async (signal) => {
    const inspector = await inspectFiles(files, { port });
    new Terminal().result(`${inspector.url}\n`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await inspector.close();
    return exitCodes.ok;
  }, stopSignals);
}

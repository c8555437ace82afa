// What attw and publint say of the tarballs. Must not: install them.
import { checkerOf } from "./tools.mjs";

/** Command lines that have to end with 0, by name. */
export function packageChecks(main, tarballs) {
  return {
    // There is no CommonJS build: Node 20.19 and newer require() the ES modules, as main.cjs and types.cts do here. attw goes by
    // older ones ("dynamic import only"), so it is asked about imports alone.
    attw: [[checkerOf("attw"), main, "--profile", "esm-only"]],
    publint: tarballs.map((file) => [checkerOf("publint"), "run", file, "--strict"]),
  };
}

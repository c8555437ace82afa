// Checks the tarballs with attw and publint.
import { checkerOf } from "./tools.mjs";

/** Command lines that must exit with 0, by name. */
export function packageChecks(main, tarballs) {
  return {
    // The package has no CommonJS build: Node 20.19 and newer require() the ES modules, as main.cjs and types.cts do
    // here. attw assumes older ones ("dynamic import only"), so it checks imports only.
    attw: [[checkerOf("attw"), main, "--profile", "esm-only"]],
    publint: tarballs.map((file) => [checkerOf("publint"), "run", file, "--strict"]),
  };
}

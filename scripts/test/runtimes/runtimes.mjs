// The runtimes that llama-hooks is tried in, and how each runs a file, a test and the command of a package.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fetchPackage, nodeOf } from "../install/tools.mjs";

const arch = { x64: { bun: "x64", deno: "x64" }, arm64: { bun: "aarch64", deno: "arm64" } }[process.arch];

/** The programs are in the packages of a platform; the scripts that would take them from there need not run. */
function programOf(name, version, file) {
  const program = join(fetchPackage(name, version), file);
  chmodSync(program, 0o755);
  return program;
}

/** Bun for a system, as its packages name it. `command`: llama-hooks by its name. */
export const bunOf = (system) => ({
  name: "Bun 1.4.5",
  as: "bun",
  program: () => programOf(`@oven/bun-${system}`, "1.4.5", "bin/bun"),
  file: [],
  test: ["test"],
  command: ["--bun", "run", "llama-hooks"],
});

/** Those of this machine. */
export const runtimes = [
  {
    name: "Node 24.21.0",
    as: "node",
    program: () => nodeOf("24.21.0"),
    file: [],
    test: ["--test"],
    command: ["node_modules/llama-hooks/dist/bundle/command.js"],
  },
  bunOf(`${process.platform}-${arch.bun}`),
  {
    name: "Deno 2.9.6",
    as: "deno",
    program: () =>
      programOf(
        `@deno/${process.platform}-${arch.deno}${process.platform === "linux" ? "-glibc" : ""}`,
        "2.9.6",
        "deno",
      ),
    file: ["run", "-A"],
    test: ["test", "-A", "--no-check"], // the project has no types of Node
    command: ["run", "-A", "npm:llama-hooks"],
  },
];

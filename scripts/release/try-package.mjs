// Installs packed tarballs in a new project as a user's npm would, and runs the first programs of
// docs/getting-started.md, the command, and the programs of scripts/test/install there. npm picks the package of the
// platform itself, so its `os`, `cpu` and `libc` are tried, too.
//   node scripts/release/try-package.mjs [--packages DIR] [--platform NAME]
// DIR is by default build/packages; NAME, the platform that npm must pick, is by default this machine's.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { files, run as programs } from "../test/install/programs.mjs";
import { startRegistry } from "../test/install/registry.mjs";
import { buildDir, projectDir, thisPlatform } from "../build/llama-paths.mjs";
import { npmOutput, outputOf } from "./npm.mjs";
import { readTarballs } from "./tarballs.mjs";

const { values } = parseArgs({
  options: {
    packages: { type: "string", default: join(buildDir, "packages") },
    platform: { type: "string", default: thisPlatform },
  },
});

const tarballs = readTarballs(resolve(values.packages));
const main = tarballs.find(({ manifest }) => manifest.name === "llama-hooks");
if (main === undefined) throw new Error(`${values.packages} has no tarball of llama-hooks`);
const registry = await startRegistry(tarballs.filter((one) => one !== main).map(({ file }) => file));
// Spaces and letters that are not ASCII, as people's folders have them.
const above = mkdtempSync(join(tmpdir(), "llama-hooks-try-"));
const folder = join(above, "p ünï");
// Nothing of this machine's settings for llama-hooks.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("LLAMA_HOOKS_")));
try {
  await attempt();
} finally {
  registry.close();
  rmSync(above, { recursive: true, force: true });
}

async function attempt() {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "first", version: "1.0.0", private: true }));
  const settings = [`@llama-hooks:registry=${registry.address}`, "ignore-scripts=true", "audit=false", "fund=false"];
  writeFileSync(join(folder, ".npmrc"), `${settings.join("\n")}\n`);
  const begun = performance.now();
  await npmOutput(["install", main.file], { cwd: folder, env });
  const picked = readdirSync(join(folder, "node_modules", "@llama-hooks"));
  if (picked.join() !== values.platform) throw new Error(`npm picked ${picked.join()}, not ${values.platform}`);
  report(`npm install: ${values.platform}`, begun);

  const page = readFileSync(join(projectDir, "docs", "getting-started.md"), "utf8");
  await program(page, "first.mjs", /^HELLO!.* -> stop[^]* -> cancelled no passwords here$/m);
  await program(page, "agent.mjs", /^calculator 84$/m);
  await command(["run", "What is 12 * 7?"], /\b84\b/);
  await command(["doctor"], /./);
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
  for (const file of programs) await execute(file, / ok$/m);
}

/** Runs the program of docs/getting-started.md with this file name. */
async function program(page, file, expected) {
  const [, code] = new RegExp(`\`${file}\`(?:(?!^\`\`\`)[^])*^\`\`\`ts\n([^]*?)^\`\`\``, "m").exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/getting-started.md has no program ${file}`);
  writeFileSync(join(folder, file), code);
  await execute(file, expected);
}

async function execute(file, expected) {
  const begun = performance.now();
  check(`node ${file}`, await outputOf([process.execPath, file], { cwd: folder, env }), expected, begun);
}

/** The installed command, started by npm through the file that it made for it. */
async function command(args, expected) {
  const begun = performance.now();
  const said = await npmOutput(["exec", "--offline", "--", "llama-hooks", ...args], { cwd: folder, env });
  check(`llama-hooks ${args.join(" ")}`, said, expected, begun);
}

function check(what, said, expected, begun) {
  if (!expected.test(said)) throw new Error(`${what} printed\n${said}\nwhich does not match ${expected}`);
  report(what, begun);
}

function report(what, begun) {
  console.log(`ok  ${what} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
}

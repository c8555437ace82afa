// Runs test/clients: programs and frameworks that use this package, and are too large for development dependencies (2.4
// GB). Installs them in build/clients: coding agents, the libraries of clients/ here, and the Next.js example as its
// users install it, with this package as it is published. With those libraries that need Node 22, and are no
// development dependencies for that reason, the tests of `npm test` that use them run, too.
//   --libraries   only the libraries, and the tests with them (1 GB)
// Further arguments: those of vitest, for test/clients.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

const agents = {
  "@anthropic-ai/claude-code": "2.1.332",
  "@openai/codex": "0.169.0",
  "opencode-ai": "1.18.33",
};

const folder = join(buildDir, "clients");
const nextjs = join(folder, "nextjs");
const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: projectDir, ...options });
  if (status !== 0) process.exit(status ?? 1);
}

function installAgents() {
  mkdirSync(join(folder, "agents"), { recursive: true });
  writeFileSync(join(folder, "agents", "package.json"), JSON.stringify({ private: true, dependencies: agents }));
  run("npm", ["install", ...quietly], { cwd: join(folder, "agents") });
}

function installNextjs() {
  run("npm", ["run", "--silent", "pack"]);
  const packages = join(buildDir, "packages");
  const tarballs = readdirSync(packages).map((name) => join(packages, name));
  for (const stale of ["app", "lib", ".next"]) rmSync(join(nextjs, stale), { recursive: true, force: true });
  cpSync(join(projectDir, "examples", "nextjs"), nextjs, { recursive: true });
  run("npm", ["install", ...quietly, ...tarballs], { cwd: nextjs });
}

const args = process.argv.slice(2);
const isWhole = !args.includes("--libraries");
if (isWhole) installAgents();
run(process.execPath, [join("scripts", "test", "clients", "libraries.mjs")]);
if (isWhole) installNextjs();

const rest = args.filter((arg) => arg !== "--libraries");
const tests = [isWhole ? "test/clients" : "test/clients/matrix/matrix.long.test.ts", ...rest];
const env = { ...process.env, LLAMA_HOOKS_CLIENTS: folder };
if (existsSync(join(folder, "libraries", "installed.txt"))) {
  run("npx", ["tsc", "-p", join("test", "clients", "node-22")]);
  run("npx", ["vitest", "run", "--mode", "node-22"], { env });
} else {
  console.error("clients: the tests with packages that need Node 22 are skipped, as these could not be installed");
}
run("npx", ["vitest", "run", "--mode", "long", ...tests], { env });

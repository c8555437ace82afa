// `npm run test:install`: the packed tarballs in empty projects, with each package manager and Node version, no
// compiler, no CMake and no git on PATH, install scripts blocked. `--short`: what CI does. Packs first, unless
// `--packed`.
// The last line counts what passed.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { files, resolutions, run as programs, typescript } from "./install/programs.mjs";
import { packageChecks } from "./install/package-checks.mjs";
import { startRegistry } from "./install/registry.mjs";
import { barePath, managerOf, nodeOf } from "./install/tools.mjs";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    packed: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const nodes = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };
const npm12 = { manager: "npm", version: "12.2.0" };
const long = [
  { ...npm12, node: 22 },
  { ...npm12, node: 24 },
  { ...npm12, node: 26 },
  { manager: "npm", version: "11.21.2", node: 20 },
  { manager: "npm", version: "11.21.2", node: 24, layout: "nested" },
  { manager: "npm", version: "11.21.2", node: 22, layout: "linked" },
  { ...npm12, node: 22, layout: "global" },
  { ...npm12, node: 22, layout: "tarballs" },
  { ...npm12, node: 24, layout: "offline" },
  { manager: "pnpm", version: "12.21.0", node: 22 },
  { manager: "pnpm", version: "12.21.0", node: 24, layout: "hoisted" },
  { manager: "yarn", version: "4.18.1", node: 22, layout: "node-modules" },
  { manager: "yarn", version: "4.18.1", node: 24, layout: "pnp" },
  { ...npm12, node: 24, then: "read-only" },
  { ...npm12, node: 22, then: "as another user" },
];
const short = [
  { ...npm12, node: 22, layout: "tarballs" },
  { ...npm12, node: 24, layout: "offline" },
];

if (!values.packed)
  execFileSync(process.execPath, [join(projectDir, "scripts", "release", "pack.mjs")], { stdio: "inherit" });
const packages = join(buildDir, "packages");
const tarballs = readdirSync(packages)
  .filter((name) => name.endsWith(".tgz"))
  .map((name) => join(packages, name));
const main = tarballs.find((file) => /llama-hooks-\d[^/]*\.tgz$/.test(file));
const registry = await startRegistry(tarballs.filter((file) => file !== main));
const others = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();

/** The Linux user who owns no files. */
const nobody = { uid: 65534, gid: 65534 };

let passed = 0;
let failed = 0;
for (const one of values.short ? short : long) {
  const name = [one.manager, one.version, one.layout, one.then, `Node ${one.node}`].filter((part) => part).join(" ");
  if (values.only !== undefined && !name.includes(values.only)) continue;
  if (one.then === "as another user" && process.getuid() !== 0) {
    console.log(`skipped ${name}: only root can be another user`);
    continue;
  }
  // Spaces and letters that are not ASCII, as people's folders have them.
  const folder = join(mkdtempSync(join(tmpdir(), "llama-hooks-install-")), "p ünï");
  mkdirSync(folder);
  try {
    const output = await attempt(one, folder);
    passed += 1;
    console.log(`ok      ${name}: ${output}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  } finally {
    execFileSync("chmod", ["-R", "u+w", join(folder, "..")]);
    rmSync(join(folder, ".."), { recursive: true, force: true });
  }
}
registry.close();
for (const [name, commands] of Object.entries(values.short ? {} : packageChecks(main, tarballs))) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  try {
    for (const args of commands) await checked([process.execPath, ...args], {});
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * Installs and runs everything; gives weight, seconds and number of packages. Throws with the output of what failed.
 */
async function attempt({ manager, version, node, layout, then }, folder) {
  const nodeFile = nodeOf(nodes[node]);
  const script = managerOf(manager, version);
  const home = join(folder, "..", "home");
  mkdirSync(home);
  // Nothing of the machine's settings, npm's own variables among them.
  const env = {
    PATH: barePath(nodeFile, `${manager}-${node}`),
    HOME: home,
    ...Object.fromEntries(
      ["http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "SSL_CERT_FILE"]
        .filter((key) => process.env[key])
        .map((key) => [key, process.env[key]]),
    ),
  };
  const user = then === "as another user" ? nobody : {};
  const exec = (args, cwd = folder) => checked([nodeFile, ...args], { cwd, env, ...user });
  const scope = layout === "tarballs" ? "" : `@llama-hooks:registry=${registry.address}\n`;
  const settings = `registry=${others}\n${scope}ignore-scripts=true\naudit=false\nfund=false\nupdate-notifier=false\n`;
  writeFileSync(join(folder, ".npmrc"), settings);
  writeFileSync(join(home, ".npmrc"), settings);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "first", version: "1.0.0", private: true }));
  if (user === nobody) execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, join(folder, "..")]);
  const start = performance.now();
  await install(manager, layout, script, folder, exec);
  const seconds = (performance.now() - start) / 1000;
  const modules = layout === "global" ? join(folder, "global", "lib", "node_modules") : join(folder, "node_modules");
  const weight = layout === "pnp" ? sizeOf(folder) + sizeOf(join(home, ".yarn")) : sizeOf(modules);
  if (layout === "global") {
    await checkCommand([join(folder, "global", "bin", "llama-hooks")], { cwd: folder, env });
  } else {
    if (then === "read-only") execFileSync("chmod", ["-R", "a-w", modules]);
    const pnp =
      layout === "pnp" ? ["--require", join(folder, ".pnp.cjs"), "--loader", join(folder, ".pnp.loader.mjs")] : [];
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    for (const program of programs) await exec([...pnp, program]);
    if (layout !== "pnp") await checkTypes(folder);
    if (layout !== "pnp")
      await checkCommand([nodeFile, join(modules, "llama-hooks", "dist", "cli", "main.js")], {
        cwd: folder,
        env,
        ...user,
      });
  }
  return `${(weight / 1e6).toFixed(1)} MB, ${seconds.toFixed(1)} s, ${countPackages(modules)} packages`;
}

async function install(manager, layout, script, folder, exec) {
  switch (manager) {
    case "npm": {
      if (layout === "offline") return installOffline(script, folder, exec);
      const how = { nested: ["--install-strategy=nested"], linked: ["--install-strategy=linked"] }[layout] ?? [];
      const where = layout === "global" ? ["--global", "--prefix", join(folder, "global")] : [];
      // Before they are published there are only the tarballs, as README.md installs them.
      const packed = layout === "tarballs" ? tarballs : [main];
      await exec([script, "install", ...how, ...where, ...packed]);
      break;
    }
    case "pnpm": {
      const lines = ["storeDir: ../home/store", ...(layout === "hoisted" ? ["nodeLinker: hoisted"] : [])];
      writeFileSync(join(folder, "pnpm-workspace.yaml"), `${lines.join("\n")}\n`);
      await exec([script, "add", main]);
      break;
    }
    case "yarn": {
      const lines = [
        `nodeLinker: ${layout}`,
        `npmRegistryServer: "${others}"`,
        `npmScopes: { llama-hooks: { npmRegistryServer: "${registry.address}" } }`,
        'unsafeHttpWhitelist: ["*"]',
        "enableScripts: false",
        "enableTelemetry: false",
        "enableGlobalCache: true",
      ];
      writeFileSync(join(folder, ".yarnrc.yml"), `${lines.join("\n")}\n`);
      writeFileSync(join(folder, "yarn.lock"), "");
      await exec([script, "add", `llama-hooks@file:${main}`]);
    }
  }
}

/** Installs into another project; then here from npm's cache, when the registry of our packages is gone. */
async function installOffline(script, folder, exec) {
  const warm = await startRegistry(tarballs.filter((file) => file !== main));
  const settings = readFileSync(join(folder, ".npmrc"), "utf8").replace(registry.address, warm.address);
  writeFileSync(join(folder, ".npmrc"), settings);
  const before = join(folder, "..", "before");
  mkdirSync(before);
  for (const file of [".npmrc", "package.json"]) cpSync(join(folder, file), join(before, file));
  try {
    await exec([script, "install", main], before);
  } finally {
    warm.close();
  }
  await exec([script, "install", "--offline", main]);
}

async function checkTypes(folder) {
  for (const { file = "types.mts", ...options } of resolutions) {
    writeFileSync(join(folder, file), typescript);
    const compilerOptions = { ...options, target: "es2022", strict: true, noEmit: true, types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const tsc = join(projectDir, "node_modules", "typescript", "bin", "tsc");
    await checked([process.execPath, tsc, "-p", folder], { cwd: folder });
  }
}

async function checkCommand(command, options) {
  const said = await checked([...command, "run", "--prompt", "What is 12 * 7?", "--gpu", "off"], options);
  if (!said.includes("84")) throw new Error(`llama-hooks run said ${JSON.stringify(said)}`);
  await checked([...command, "doctor"], options);
}

/** Runs a command; gives what it says. Not synchronously: the registry is in this process. */
function checked([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve(said.stdout);
      else reject(new Error(`${[program, ...args].join(" ")} ended with ${status}\n${said.stdout}${said.stderr}`));
    });
  });
}

/** Bytes of the files below, each counted once. */
function sizeOf(folder) {
  const seen = new Set();
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(join(entry.parentPath, entry.name));
    if (!seen.has(ino)) bytes += size;
    seen.add(ino);
  }
  return bytes;
}

function countPackages(modules) {
  try {
    return readdirSync(modules, { recursive: true, withFileTypes: true }).filter(
      (entry) =>
        entry.isFile() &&
        entry.name === "package.json" &&
        /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+$/.test(entry.parentPath),
    ).length;
  } catch {
    return "?";
  }
}

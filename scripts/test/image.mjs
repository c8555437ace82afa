// `npm run test:image`: builds the image of examples/deploy with this package as it is published, and asks its server.
// With docker, podman or buildah, the first one that is there.
//   --base IMAGE   an image with Node, where that of the Dockerfile cannot be had
//   -- ...         options of the build: mounts, the configuration of npm
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "./free-port.mjs";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

const { values, positionals } = parseArgs({ options: { base: { type: "string" } }, allowPositionals: true });
const tool = ["docker", "podman", "buildah"].find((name) => spawnSync(name, ["info"]).status === 0);
if (tool === undefined) throw new Error("neither docker, podman nor buildah can be run here");

const folder = join(buildDir, "image");
const image = "llama-hooks-test";
const key = "sk-of-the-image-test";
const dockerfile = readFileSync(join(projectDir, "examples", "deploy", "Dockerfile"), "utf8");
const run = (command, args) => execFileSync(command, args, { cwd: projectDir, stdio: "inherit" });

function build() {
  run("npm", ["run", "--silent", "pack"]);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Dockerfile"), dockerfile);
  const packages = join(buildDir, "packages");
  cpSync(packages, folder, { recursive: true });
  const names = readdirSync(packages).map((name) => `/context/${name}`);
  const original = /^FROM (\S+)/m.exec(dockerfile)[1];
  const replaced =
    tool === "docker" ? ["--build-context", `${original}=docker-image://${values.base}`] : ["--from", values.base];
  const options = ["--build-arg", `PACKAGES=${names.join(" ")}`, ...(values.base ? replaced : []), ...positionals];
  run(tool, ["build", "--tag", image, ...options, folder]);
}

/** The command that runs the server, with the model and the keys as in the head of the Dockerfile. */
function start(port) {
  const mounts = [
    `--volume=${join(projectDir, "models", "tiny-agent.gguf")}:/models/model.gguf:ro`,
    `--volume=${join(folder, "keys")}:/run/secrets/keys:ro`,
  ];
  if (tool !== "buildah") {
    const limits = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
    const args = ["run", "--rm", "--name", image, "-p", `127.0.0.1:${port}:8080`, ...limits, ...mounts, image];
    return { args, stop: [tool, ["stop", image]], port };
  }
  // buildah knows neither ports nor entry points: the server takes a port of this machine.
  const container = execFileSync(tool, ["from", image], { encoding: "utf8" }).trim();
  const { Entrypoint, Cmd } = JSON.parse(execFileSync(tool, ["inspect", container], { encoding: "utf8" })).OCIv1.config;
  const command = [...Entrypoint, ...Cmd].map((word) => (word === "8080" ? String(port) : word));
  const args = ["run", ...mounts, container, "--", ...command];
  // It passes no signal on.
  return { args, stop: ["pkill", ["-TERM", "-f", `^node .* --port ${port} `]], remove: ["rm", container], port };
}

build();
writeFileSync(join(folder, "keys"), `team ${key}\n`, { mode: 0o644 });
const server = start(await freePort());
const child = spawn(tool, server.args, { stdio: ["ignore", "inherit", "inherit"] });
const ended = once(child, "exit");
const ask = (path, options) => fetch(`http://127.0.0.1:${server.port}${path}`, options);

async function healthy() {
  while (child.exitCode === null) {
    if ((await ask("/health").catch(() => undefined))?.ok) return;
    await sleep(100);
  }
  throw new Error(`the server ended with ${child.exitCode}`);
}

async function check() {
  await healthy();
  const body = JSON.stringify({ model: "model", messages: [{ role: "user", content: "Hello" }], max_tokens: 4 });
  const headers = { "content-type": "application/json" };
  const refused = await ask("/v1/chat/completions", { method: "POST", headers, body });
  if (refused.status !== 401) throw new Error(`without a key: ${refused.status}`);
  const answer = await ask("/v1/chat/completions", {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${key}` },
    body,
  });
  const { choices } = await answer.json();
  if (!choices?.[0]?.message.content) throw new Error(`no answer: ${answer.status}`);
}

try {
  await check();
} finally {
  run(...server.stop);
}
const [code, signal] = await ended;
if (server.remove) run(tool, server.remove);
if (code !== 0) throw new Error(`the server ended with ${signal ?? code}`);
console.log(`\nthe image of ${tool} answers, wants a key, and ends in order`);

// Builds the addon with binding.gyp, like `npx node-gyp rebuild` but incrementally, with npm's own node-gyp. Skipped,
// with the reason, without Python or Node's headers, unless LLAMA_HOOKS_GYP=required.
// Must not: download headers.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

const addon = join(buildDir, "Release", "llama_hooks.node");
const nodeDir = dirname(dirname(realpathSync(process.execPath)));
const nodeGyp = join(
  execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(),
  "npm/node_modules/node-gyp/bin/node-gyp.js",
);

function whyNot() {
  if (!existsSync(nodeGyp)) return `${nodeGyp} was not found`;
  if (!existsSync(join(nodeDir, "include/node/common.gypi"))) return `${nodeDir} has no headers of Node`;
  return spawnSync("python3", ["--version"]).status === 0 ? undefined : "python3, which node-gyp needs, was not found";
}

const why = whyNot();
if (why !== undefined) {
  console.log(`skipped: ${why}`);
  if (process.env.LLAMA_HOOKS_GYP === "required") process.exitCode = 1;
} else {
  rmSync(addon, { force: true });
  const args = [nodeGyp, "configure", "build", `--nodedir=${nodeDir}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: projectDir, encoding: "utf8" });
  const built = status === 0 && existsSync(addon);
  console.log(built ? "binding.gyp: the addon was built" : `node-gyp ended with ${status}\n${stdout}${stderr}`);
  process.exitCode = built ? 0 : 1;
}

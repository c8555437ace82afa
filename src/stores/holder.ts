// The holder of a lease: a text that names this process, and what another process can tell from it.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isObject } from "../base/check.js";

/** The process; on Linux with data that distinguishes it from all other processes of all machines. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in ticks since the machine was booted. Undefined: it is not known. */
  readonly started?: string;
  /** This boot of this machine. */
  readonly boot?: string;
  /** The namespace that process ids belong to: containers have one each. */
  readonly pids?: string;
}

/** The maximum characters of a holder. */
const mostOfHolder = 4096;

let own: string | undefined;

/** The text that names this process. */
export function thisProcess(): string {
  own ??= JSON.stringify({ pid: process.pid, host: hostname(), ...startOf(process.pid), ...machine() });
  return own;
}

/** True if the text is valid: it names a process, or is a name that a program has chosen for itself. */
export function isHolder(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\ufffd]/.test(text) || text.length > mostOfHolder) return false;
  try {
    JSON.parse(text);
  } catch {
    return text.trim() !== "" && !/^\s*[[{]/.test(text);
  }
  return read(text) !== undefined;
}

/** The process for a message: `process 12 on host`. */
export function inMessage(holder: string): string {
  if (holder === thisProcess()) return "this process";
  const known = read(holder);
  return known === undefined ? holder : `process ${known.pid} on ${known.host}`;
}

/** True if the process certainly has ended. False if it runs, or nothing is known, as on another machine. */
export function isDead(holder: string): boolean {
  const known = read(holder);
  const here = machine();
  if (known?.started === undefined || here.boot === undefined) return false;
  if (known.boot !== here.boot || known.pids !== here.pids) return false;
  try {
    process.kill(known.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const now = startOf(known.pid);
  return now !== undefined && (now.ended || now.started !== known.started);
}

function read(holder: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(holder);
    if (!isObject(value) || !Number.isSafeInteger(value["pid"]) || typeof value["host"] !== "string") return undefined;
    return value as unknown as Holder;
  } catch {
    return undefined;
  }
}

/** Undefined where there is no /proc, or the process cannot be seen. */
function startOf(pid: number): { started: string; ended: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", started] = [fields[0], fields[19]];
    // A zombie has ended; its parent has not asked how.
    return started === undefined ? undefined : { started, ended: /^[ZX]/i.test(state) };
  } catch {
    return undefined;
  }
}

function machine(): { boot?: string; pids?: string } {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return { boot, pids: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return {};
  }
}

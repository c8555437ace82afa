// Reads and writes a lease as a store keeps it: a text, and the time at which it ends. Must not: use the wall clock
// alone, which may jump by a day, back or forth, while a process holds a lease.
import { readFileSync, readlinkSync } from "node:fs";
import { isObject } from "../base/check.js";
import { isHolder } from "./holder.js";
import type { LeaseRequest } from "./session-store.js";

/** The maximum characters of a lease. */
export const mostOfLease = 8192;

/** A lease that a store keeps. */
export interface KeptLease {
  readonly holder: string;
  /** Undefined: an earlier version has written it. */
  readonly clock?: LeaseClock;
}

/** The clock of a lease: the uptime of the machine, and the difference between the wall clock and that uptime. */
interface LeaseClock {
  /** The boot of the machine, and its time namespace. Null: the system does not provide it. */
  readonly boot: string | null;
  readonly aheadMs: number;
  readonly ttlMs: number;
}

const opening = '{"lease":';

/** The text of a new lease. */
export function leaseText({ holder, ttlMs }: LeaseRequest): string {
  const runs = runningMs();
  if (runs === undefined) return holder;
  const clock: LeaseClock = { boot: thisBoot(), aheadMs: Date.now() - runs, ttlMs };
  return `${opening}${JSON.stringify(clock)}}\n${holder}`;
}

/** Throws, with the reason, if the text is not a valid lease. */
export function readLease(text: unknown): KeptLease {
  if (typeof text !== "string") throw new Error("it is no text");
  if (text.length > mostOfLease) throw new Error(`it has more than ${mostOfLease} characters`);
  if (!text.startsWith(opening)) return { holder: checkHolder(text) };
  const end = text.indexOf("\n");
  const { lease } = JSON.parse(text.slice(0, end)) as { readonly lease: unknown };
  if (!isObject(lease) || ![lease["aheadMs"], lease["ttlMs"]].every(isTime))
    throw new Error("its first line is none of a lease");
  return { holder: checkHolder(text.slice(end + 1)), clock: lease as unknown as LeaseClock };
}

/** The time to keep for a lease that ends in `ms` milliseconds. */
export function expiryIn(ms: number, { clock }: KeptLease): number {
  return ms + (runsHere(clock) ?? Date.now());
}

/**
 * Milliseconds until a lease ends; 0 or less: it has ended. `isTooFar`: no lease of that length can end so late, so a
 * clock has jumped. The caller must then store the new end; otherwise it moves on at every check.
 */
export function leftOf(lease: KeptLease, expiresAt: number, ttlMs: number): { leftMs: number; isTooFar: boolean } {
  const most = Math.max(ttlMs, lease.clock?.ttlMs ?? 0);
  const here = runsHere(lease.clock);
  const left = expiresAt - (here ?? Date.now());
  if (left <= most) return { leftMs: left, isTooFar: false };
  // If the system does not provide the boot, the uptime may have started anew.
  const byDay = expiresAt - Date.now();
  return here !== undefined && byDay <= most ? { leftMs: byDay, isTooFar: false } : { leftMs: most, isTooFar: true };
}

/** The current time by the clock of a lease; undefined: that clock does not exist here. */
function runsHere(clock: LeaseClock | undefined): number | undefined {
  const runs = runningMs();
  return clock === undefined || runs === undefined || clock.boot !== thisBoot() ? undefined : clock.aheadMs + runs;
}

/** True for a number that a `Date` can have. */
function isTime(value: unknown): boolean {
  return Math.abs(Number.isSafeInteger(value) ? (value as number) : Infinity) <= 8.64e15;
}

function checkHolder(text: string): string {
  if (isHolder(text)) return text;
  throw new Error("its holder is no process");
}

/** The uptime of the machine in milliseconds. Undefined where processes count from their own start. */
function runningMs(): number | undefined {
  const { bun, deno } = process.versions as Readonly<Record<string, string | undefined>>;
  return bun === undefined && deno === undefined ? Number(process.hrtime.bigint() / 1_000_000n) : undefined;
}

let boot: string | null | undefined;

function thisBoot(): string | null {
  boot ??= readBoot();
  return boot;
}

function readBoot(): string | null {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${id} ${readlinkSync("/proc/self/ns/time")}`; // a container may have its own time namespace
  } catch {
    return null;
  }
}

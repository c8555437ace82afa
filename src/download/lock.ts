// A lock between processes: a file that its holder touches regularly. Not proper-lockfile, whose signal handlers would
// keep SIGTERM from ending a process that is stuck in a hook.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { link, open, readFile, rename, stat, unlink, utimes } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { whileShared } from "../base/platform.js";
import { plainFile } from "./cache-files.js";

/**
 * A lock that was not touched for this long, while a waiter watched, is free. Measured by the waiter's clock, because
 * clocks of other machines may differ.
 */
const staleMs = 15_000;
const touchMs = 3_000;
const pollMs = 250;

/**
 * Runs `work` while it holds `file`. The signal passed to `work` aborts if the lock is lost, or with `signal`, whose
 * reason is thrown.
 */
export async function withLock<T>(
  file: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const id = randomUUID();
  await take(file, id, signal);
  const lost = new AbortController();
  const timer = setInterval(() => {
    void touch(file, id).then((mine) => {
      if (!mine) lost.abort(new Error(`${file} was taken by another process`));
    });
  }, touchMs).unref();
  const atExit = (): void => rmSync(file, { force: true });
  process.once("exit", atExit);
  try {
    return await work(AbortSignal.any([lost.signal, ...(signal ? [signal] : [])]));
  } finally {
    process.off("exit", atExit);
    clearInterval(timer);
    if ((await holder(file)) === id) await unlink(file).catch(() => {});
  }
}

async function take(file: string, id: string, signal: AbortSignal | undefined): Promise<void> {
  let seen = { what: "", at: performance.now() };
  for (;;) {
    signal?.throwIfAborted();
    try {
      const handle = await whileShared(() => open(file, "wx", 0o600));
      await handle.writeFile(id).finally(() => handle.close());
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    await plainFile(file);
    const other = await holder(file);
    const touched = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const what = `${other} ${touched}`;
    if (what !== seen.what) seen = { what, at: performance.now() };
    else if (performance.now() - seen.at > staleMs) await removeStale(file, other, id);
    await sleep(pollMs, undefined, { signal });
  }
}

/** Two waiters may do this at once: one that removed a newer lock than the stale one restores it. */
async function removeStale(file: string, stale: string | undefined, id: string): Promise<void> {
  const aside = `${file}.${id}`;
  try {
    await rename(file, aside);
  } catch {
    return; // another waiter removed it
  }
  if ((await holder(aside)) !== stale) await link(aside, file).catch(() => {});
  await unlink(aside);
}

/** False: another process holds the lock. */
async function touch(file: string, id: string): Promise<boolean> {
  const found = await holder(file);
  if (found === id) await utimes(file, new Date(), new Date()).catch(() => {});
  return found === id;
}

function holder(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

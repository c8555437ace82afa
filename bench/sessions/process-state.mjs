// Samples the resources that the process holds. Must not: judge them, or block the process for long.
import { readdirSync, readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { median } from "../../dist/bench/results/statistics.js";

/** Looks `times` times in `seconds`, evenly; the function that it gives stops that and gives what was seen. */
export function watchProcess(seconds, times) {
  // Garbage is collected first, so that what is seen is what is kept.
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const seen = [];
  const look = () => {
    gc();
    const { rss, heapUsed } = process.memoryUsage();
    seen.push({
      rss,
      heapUsed,
      threads: threads(),
      files: files(),
      resources: process.getActiveResourcesInfo().length,
    });
  };
  const timer = setInterval(look, (seconds * 1000) / times);
  return () => {
    clearInterval(timer);
    return seen;
  };
}

/** Medians of what was seen in a part of the time, from one share of it to another. Null: the system does not tell. */
export function between(seen, from, to) {
  const part = seen.slice(Math.floor(seen.length * from), Math.ceil(seen.length * to));
  return Object.fromEntries(
    ["rss", "heapUsed", "threads", "files", "resources"].map((key) => {
      const values = part.flatMap((one) => one[key] ?? []);
      return [key, values.length === 0 ? null : median(values)];
    }),
  );
}

function threads() {
  try {
    return Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return null; // not Linux
  }
}

function files() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return null;
  }
}

// Reads the peak memory of a process.
import { readFileSync } from "node:fs";

/**
 * The peak of this process in KiB, or on Linux that of the process `pid`. On Linux, `resourceUsage().maxRSS` includes
 * the parent's memory at the time of the fork, so a small program that a large one started seems as large. The
 * high-water mark in /proc starts with the program itself.
 */
export function peakRssKib(pid: number = process.pid): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mark = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (mark !== undefined) return Number(mark);
  } catch {
    // This is not Linux.
  }
  return pid === process.pid ? process.resourceUsage().maxRSS : 0;
}

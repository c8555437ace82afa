// The most memory that this process ever held. Must not: count what its parent held.
import { readFileSync } from "node:fs";

/**
 * KiB. Linux counts the parent's memory at the time of the fork in `resourceUsage().maxRSS`, so a small program started
 * by a large one seems as large; the high-water mark in /proc begins with the program itself.
 */
export function peakRssKib(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const mark = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (mark !== undefined) return Number(mark);
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS;
}

// Reads the peak memory of this process.
import { readFileSync } from "node:fs";

/**
 * The peak in KiB. On Linux, `resourceUsage().maxRSS` includes the parent's memory at the time of the fork, so a small
 * program that a large one started seems as large. The high-water mark in /proc starts with the program itself.
 */
export function peakRssKib(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const mark = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (mark !== undefined) return Number(mark);
  } catch {
    // This is not Linux.
  }
  return process.resourceUsage().maxRSS;
}

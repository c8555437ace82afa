// How a number of bytes is shown; for the command line, too. Must not: know of what.

/** In decimal units, as disks and hubs give them. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"] as const;
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power] ?? "B"}`;
}

// How a number of bytes is shown; for the command line, too. Must not: know of what.

const units = ["B", "kB", "MB", "GB"] as const;

/** In decimal units, as disks and hubs give them: the first in which the figure, as it is shown, stays below 1000. */
export function size(bytes: number): string {
  let power = 0;
  let figure = `${bytes}`;
  while (Number(figure) >= 1000 && power < units.length - 1) figure = (bytes / 1000 ** ++power).toFixed(1);
  return `${figure} ${units[power] ?? "B"}`;
}

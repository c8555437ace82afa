// A number of bytes as text for people.

const units = ["B", "kB", "MB", "GB"] as const;

/** Decimal units, as disks and model hubs use them: the first unit in which the rounded figure is below 1000. */
export function size(bytes: number): string {
  let power = 0;
  let figure = `${bytes}`;
  while (Number(figure) >= 1000 && power < units.length - 1) figure = (bytes / 1000 ** ++power).toFixed(1);
  return `${figure} ${units[power] ?? "B"}`;
}

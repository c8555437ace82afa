// Formats figures, sizes and dates for people. Must not: round a ratio in favour of the measured program.
import type { MicroResult } from "./results.js";

const MINUS = "\u2212";

function digits(value: number, decimals: number): string {
  const text = Math.abs(value).toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** At least three significant digits: 1,234 and 123.4 and 0.0123. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 || size === 0) return digits(value, 0);
  if (size >= 10) return digits(value, 1);
  return digits(value, Math.min(6, 2 - Math.floor(Math.log10(size))));
}

/** Formats a number for axes and counts, with only the decimals that carry information. */
export function formatTick(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", MINUS);
}

/** Three decimals, rounded down: 0.9896 must not read as 0.990. */
export function formatRatio(value: number): string {
  return digits(floorTo(value, 3), value < 10 ? 3 : 1);
}

function formatRatioUp(value: number): string {
  return digits(-floorTo(-value, 3), value < 10 ? 3 : 1);
}

/** Two decimals, rounded down, for sentences. */
export function roughRatio(value: number): string {
  return digits(floorTo(value, 2), 2);
}

function floorTo(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  // 0.29 * 100 is 28.999...: this error of binary fractions must not be rounded down.
  return Math.floor(value * scale + 1e-9) / scale;
}

/** "48 ns", "12.3 µs", "4.50 ms". */
export function formatNanoseconds(value: number, format: (value: number) => string = formatNumber): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${format(value / 1e6)} ms`;
  if (size >= 1e3) return `${format(value / 1e3)} µs`;
  return `${format(value)} ns`;
}

export function formatBytes(bytes: number): string {
  const mib = bytes / 2 ** 20;
  return mib >= 1024 ? `${formatNumber(mib / 1024)} GiB` : `${formatNumber(mib)} MiB`;
}

/** Replaces ">=" and "us" with "≥" and "µs". */
export function formatTarget(target: string): string {
  return target
    .replaceAll(">=", "≥")
    .replaceAll("<=", "≤")
    .replaceAll(/(?<=\d )us\b/g, "µs");
}

/** A figure of a target with its unit. Figures that must be small are rounded up. */
export function formatFigure(value: number, unit: string, target: string): string {
  if (unit === "x") return `${target.startsWith("<") ? formatRatioUp(value) : formatRatio(value)} ×`;
  if (unit === "%") return `${formatNumber(value)} %`;
  return `${formatNumber(value)} ${unit === "us" ? "µs" : unit}`;
}

/** "21 November 2026, 12:48 UTC"; a text that is not a date is returned unchanged. */
export function formatDate(date: string): string {
  const time = new Date(date);
  if (Number.isNaN(time.getTime())) return date;
  return `${time.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).replace(" at ", ", ")} UTC`;
}

/** "a", "a and b", "a, b and c". */
export function formatList(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** A point of a micro-benchmark's curve: "10 hooks". */
export function formatX({ x, xLabel }: MicroResult): string {
  return x === null ? "" : `${formatTick(x)} ${xLabel ?? ""}`.trim();
}

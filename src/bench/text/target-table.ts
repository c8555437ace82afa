// The table of targets, for a terminal of 80 columns. Must not: leave out a figure that failed.
import type { Paint } from "../../base/paint.js";
import { wrap } from "../../base/wrap.js";
import type { Figure, TargetRow } from "../results/results.js";
import { type Cell, grid, pageWidth } from "./grid.js";

/** Formats the table of targets: each row, its figures, and the verdicts. */
export function rowsText(rows: readonly TargetRow[], paint: Paint): string {
  const lines = rows.flatMap((row) => [
    ...rowHead(row, paint),
    ...grid(figureColumns, row.figures.map(figureCells), paint)
      .slice(1)
      .map((line) => `      ${line}`),
    ...(row.note === undefined ? [] : wrap(row.note, pageWidth - 6).map((line) => paint("dim", `      ${line}`))),
  ]);
  const count = (pass: boolean | null): number => rows.filter((row) => row.pass === pass).length;
  const missing = count(null) === 0 ? "" : `, ${count(null)} not measured`;
  return [...lines, "", paint("bold", `targets: ${count(true)} passed, ${count(false)} failed${missing}`)].join("\n");
}

const figureColumns = [
  { heading: "", align: "left" },
  { heading: "", align: "right" },
  { heading: "", align: "left" },
  { heading: "", align: "left" },
  { heading: "", align: "left" },
] as const;

function rowHead({ id, what, target, pass }: TargetRow, paint: Paint): string[] {
  const verdict = verdictOf(pass);
  const head = wrap(`${id.padEnd(5)}${what}`, pageWidth - 8, "     ");
  const first = head[0] ?? "";
  return [
    `${paint("bold", first)}${" ".repeat(Math.max(2, pageWidth - verdict.text.length - first.length))}${painted(verdict, paint)}`,
    ...head.slice(1).map((line) => paint("bold", line)),
    ...wrap(target, pageWidth - 6).map((line) => paint("dim", `      ${line}`)),
  ];
}

function verdictOf(pass: boolean | null): Cell {
  if (pass === null) return { text: "-", style: "dim" };
  return pass ? { text: "pass", style: "green" } : { text: "FAIL", style: "red" };
}

function painted({ text, style }: Cell, paint: Paint): string {
  return style === undefined ? text : paint(style, text);
}

function figureCells({ label, value, spread, unit, target, pass }: Figure): Cell[] {
  const between = spread !== undefined && spread.lowest !== spread.highest;
  return [
    { text: label },
    { text: `${figure(value)} ${unit}`, style: "bold" },
    { text: between ? `${figure(spread.lowest)}–${figure(spread.highest)}` : "", style: "dim" },
    { text: target, style: "dim" },
    verdictOf(pass),
  ];
}

function figure(value: number): string {
  if (Number.isInteger(value)) return value.toString();
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toString();
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 2 ? 2 : 3);
}

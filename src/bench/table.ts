// Results as text for a terminal of 80 columns. Must not: measure, or leave out a figure that failed.
import { type Cell, grid, wrapped } from "./grid.js";
import { isWithinNoise } from "./noise.js";
import type { Paint } from "./paint.js";
import { plural } from "../base/plural.js";
import type { BenchResults, DecodeResult, Figure, MicroResult, Spread, TargetRow } from "./results.js";

const width = 80;
const barWidth = 10;

/** Machine and versions, in two lines or three. */
export function headText({ machine, versions, settings }: BenchResults, paint: Paint): string {
  const { cpu, cores, memoryGib, platform, node, gpu } = machine;
  const threads = plural(settings.threads, "thread");
  const where = [
    cpu,
    plural(cores, "core"),
    `${memoryGib} GiB`,
    platform,
    ...(gpu === null ? [] : [gpu.name]),
    threads,
  ];
  const what = [`Node ${node}`, ...Object.entries(versions).map(([name, version]) => `${name} ${version}`)];
  return [where, what]
    .flatMap((parts) => listed(parts))
    .map((line) => paint("dim", line))
    .join("\n");
}

/** What says little, and why; empty: all can be believed. */
export function warningsText({ warnings = [] }: BenchResults, paint: Paint): string {
  const lines = warnings.flatMap((warning) => wrapped(`warning: ${warning}`, width, "  "));
  return lines.map((line) => paint("yellow", line)).join("\n");
}

/** Parts in lines, none of them broken in two. */
function listed(parts: readonly string[]): string[] {
  const hard = "\u00a0";
  const words = parts.map((part, index) => (index + 1 < parts.length ? `${part} ·` : part).replaceAll(" ", hard));
  return wrapped(words.join(" "), width).map((line) => line.replaceAll(hard, " "));
}

/** The decode table of each model. */
export function decodeText(results: BenchResults, paint: Paint): string {
  return results.models.map((model) => modelText(results, model, paint)).join("\n\n");
}

function modelText(results: BenchResults, model: BenchResults["models"][number], paint: Paint): string {
  const decode = results.decode.filter((result) => result.model === model.name);
  const skipped = results.skipped.filter((one) => one.model === model.name);
  const title = wrapped(`${model.synthetic ? "synthetic " : ""}${model.label}`, width);
  const rounds = `${model.tokens} tokens after a prompt of ${model.promptTokens}, ${plural(model.rounds, "round")}`;
  return [
    ...title.map((line) => paint("bold", line)),
    paint("dim", rounds),
    "",
    ...decodeLines(decode, paint),
    ...skipped.flatMap(({ contender, reason }) =>
      wrapped(`skipped: ${contender}: ${reason}`, width, "  ").map((line) => paint("yellow", line)),
    ),
  ].join("\n");
}

/** The ratio that is shown: to the plain loop if it ran, else to the engine without a hook. */
function decodeLines(decode: readonly DecodeResult[], paint: Paint): string[] {
  const plain = decode.some(({ toPlain }) => toPlain !== null);
  const other = plain && decode.some(({ toNodeLlamaCpp }) => toNodeLlamaCpp !== null);
  const fastest = Math.max(...decode.map(({ tokensPerSecond }) => tokensPerSecond.median));
  const columns = [
    { heading: "", align: "left" },
    { heading: "", align: "left" },
    { heading: "tokens/s", align: "right" },
    { heading: "spread", align: "right" },
    { heading: plain ? "to plain" : "no hook", align: "right" },
    { heading: other ? "to n-l-c" : plain ? "" : "a token", align: "right" },
  ] as const;
  const last = (result: DecodeResult): string =>
    other ? ratio(result.toNodeLlamaCpp) : plain ? "" : cost(result, decode);
  const rows = decode.map((result): Cell[] => [
    { text: result.label },
    { text: bar(result.tokensPerSecond.median / fastest), style: isOurs(result) ? "cyan" : "gray" },
    { text: speed(result.tokensPerSecond.median), style: "bold" },
    { text: spreadText(result.tokensPerSecond), style: "dim" },
    { text: ratio((plain ? result.toPlain : result.toNoHook) ?? null) },
    { text: last(result) },
  ]);
  const counts = [...new Set(decode.map(({ sequences }) => sequences))].toSorted((left, right) => left - right);
  const [head = "", ...lines] = grid(columns, rows, paint);
  // One grid, so that all columns stand below each other, cut into a part for each number of generations.
  const parts = counts.flatMap((count) => [
    ...(count === 1 ? [] : ["", paint("dim", `${count} at once, their sum`)]),
    ...lines.filter((_, index) => decode[index]?.sequences === count),
  ]);
  const marked = rows.some((cells) => cells.some(({ text }) => text.startsWith("~")));
  const legend = "~ within the noise: some rounds were faster, and others slower";
  return [head, ...parts, ...(marked ? [paint("dim", legend)] : [])];
}

function isOurs({ contender }: DecodeResult): boolean {
  return contender.startsWith("engine");
}

/** What each token takes longer than without a hook, if the rounds agree that it does, or that it does not. */
function cost(result: DecodeResult, decode: readonly DecodeResult[]): string {
  const { contender, sequences, toNoHook } = result;
  const base = decode.find((other) => other.contender === "engine" && other.sequences === sequences);
  if (base === undefined || !isOurs(result) || contender === "engine" || !toNoHook) return "";
  if (isWithinNoise(toNoHook)) return "in noise";
  const microseconds = (1e6 / base.tokensPerSecond.median) * (1 / toNoHook.median - 1);
  return `${microseconds < 0 ? "" : "+"}${microseconds.toFixed(Math.abs(microseconds) < 10 ? 1 : 0)} us`;
}

const blocks = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

function bar(share: number): string {
  const eighths = Math.max(1, Math.round(share * barWidth * 8));
  return "█".repeat(eighths >> 3) + (blocks[eighths & 7] ?? "");
}

function speed(tokensPerSecond: number): string {
  return tokensPerSecond >= 1000 ? Math.round(tokensPerSecond).toString() : tokensPerSecond.toFixed(1);
}

function spreadText({ lowest, highest }: Spread): string {
  const digits = highest >= 100 ? 0 : 1;
  if (lowest === highest) return "";
  return `${lowest.toFixed(digits)}–${highest.toFixed(digits)}`;
}

function ratio(value: Spread | null): string {
  if (value === null) return "";
  const text = value.median.toFixed(value.median >= 10 ? 1 : value.median >= 2 ? 2 : 3);
  return isWithinNoise(value) ? `~${text}` : text;
}

export function microText(micro: readonly MicroResult[], paint: Paint): string {
  const groups = [...new Set(micro.map(({ group }) => group))];
  return groups
    .map((group) => {
      const rows = micro
        .filter((one) => one.group === group)
        .map(({ label, median, p99 }): Cell[] => [
          { text: `  ${label}` },
          { text: duration(median), style: "bold" },
          { text: p99 === null ? "" : duration(p99) },
        ]);
      const columns = [
        { heading: group, align: "left" },
        { heading: "median", align: "right" },
        { heading: "p99", align: "right" },
      ] as const;
      return grid(columns, rows, paint).join("\n");
    })
    .join("\n");
}

function duration(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1000).toFixed(nanoseconds < 1e5 ? 1 : 0)} us`;
  return `${(nanoseconds / 1e6).toFixed(1)} ms`;
}

/** The table of targets: each row, its figures, and whether they are met. */
export function rowsText(rows: readonly TargetRow[], paint: Paint): string {
  const lines = rows.flatMap((row) => [
    ...rowHead(row, paint),
    ...grid(figureColumns, row.figures.map(figureCells), paint)
      .slice(1)
      .map((line) => `      ${line}`),
    ...(row.note === undefined ? [] : wrapped(row.note, width - 6).map((line) => paint("dim", `      ${line}`))),
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
  const head = wrapped(`${id.padEnd(5)}${what}`, width - 8, "     ");
  const first = head[0] ?? "";
  return [
    `${paint("bold", first)}${" ".repeat(Math.max(2, width - verdict.text.length - first.length))}${painted(verdict, paint)}`,
    ...head.slice(1).map((line) => paint("bold", line)),
    ...wrapped(target, width - 6).map((line) => paint("dim", `      ${line}`)),
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

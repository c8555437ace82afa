// The table of decode speeds of each model, for a terminal of 80 columns.
import { plural } from "../../base/plural.js";
import type { Paint } from "../../base/paint.js";
import { wrap } from "../../base/wrap.js";
import { ENGINE, isOurs } from "../results/contender-roles.js";
import { isWithinNoise } from "../results/noise.js";
import type { BenchResults, DecodeResult, Spread } from "../results/results.js";
import { type Cell, grid, pageWidth } from "./grid.js";

const barWidth = 10;

/** The decode table of each model. */
export function decodeText(results: BenchResults, paint: Paint): string {
  return results.models.map((model) => modelText(results, model, paint)).join("\n\n");
}

function modelText(results: BenchResults, model: BenchResults["models"][number], paint: Paint): string {
  const decode = results.decode.filter((result) => result.model === model.name);
  const skipped = results.skipped.filter((one) => one.model === model.name);
  const title = wrap(`${model.synthetic ? "synthetic " : ""}${model.label}`, pageWidth);
  const rounds = `${model.tokens} tokens after a prompt of ${model.promptTokens}, ${plural(model.rounds, "round")}`;
  return [
    ...title.map((line) => paint("bold", line)),
    paint("dim", rounds),
    "",
    ...decodeLines(decode, paint),
    ...skipped.flatMap(({ contender, reason }) =>
      wrap(`skipped: ${contender}: ${reason}`, pageWidth, "  ").map((line) => paint("yellow", line)),
    ),
  ].join("\n");
}

/** Shows the ratio to the plain loop if it ran, else to the engine without a hook. */
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
    { text: bar(result.tokensPerSecond.median / fastest), style: isOurs(result.contender) ? "cyan" : "gray" },
    { text: speed(result.tokensPerSecond.median), style: "bold" },
    { text: spreadText(result.tokensPerSecond), style: "dim" },
    { text: ratio((plain ? result.toPlain : result.toNoHook) ?? null) },
    { text: last(result) },
  ]);
  const counts = [...new Set(decode.map(({ sequences }) => sequences))].toSorted((left, right) => left - right);
  const [head = "", ...lines] = grid(columns, rows, paint);
  // All rows are laid out as one grid, so that their columns align, then divided by number of generations.
  const parts = counts.flatMap((count) => [
    ...(count === 1 ? [] : ["", paint("dim", `${count} at once, their sum`)]),
    ...lines.filter((_, index) => decode[index]?.sequences === count),
  ]);
  const marked = rows.some((cells) => cells.some(({ text }) => text.startsWith("~")));
  const legend = "~ within the noise: some rounds were faster, and others slower";
  return [head, ...parts, ...(marked ? [paint("dim", legend)] : [])];
}

/** The additional time per token compared with the engine without a hook; "in noise" if the rounds disagree. */
function cost(result: DecodeResult, decode: readonly DecodeResult[]): string {
  const { contender, sequences, toNoHook } = result;
  const base = decode.find((other) => other.contender === ENGINE && other.sequences === sequences);
  if (base === undefined || !isOurs(contender) || contender === ENGINE || !toNoHook) return "";
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

// The table of targets, computed from measurements; lasting-targets.mjs has P14 to P31. Must not: round a failure up.
import { speedsOf } from "../../dist/bench/measure/decode-results.js";
import { bestOf, spread, withinRounds } from "../../dist/bench/results/statistics.js";
import { atLeast, atMost, row, scaled } from "./figures.mjs";
import { realModels } from "./plan.mjs";
import { lastingRows } from "./lasting-targets.mjs";

const small = "tiny";
const smallSizes = ["tiny", "0.5b", ...Object.keys(realModels)];
const sizes = ["tiny", "0.5b", "1.1b", "8b", ...Object.keys(realModels)];
const mib = 1024 * 1024;
const megabyte = 1_000_000;

/**
 * The results of a run. Every member may be missing, and then so are its figures. decode: Map of model to Measured[];
 * paired: PairedResult[]; micro: rows P5 to P8; all others: the results of their parts.
 */
export function targetRows(found, wanted) {
  const { decode, paired, cache, soak, imports, micro = [], failures = {} } = found;
  const ratios = ratiosOf(decode);
  const hookFigures = (name, models, limitOf) => [
    ...ratios(name, "plain", models, limitOf),
    ...pairedFigures(paired, name, models, limitOf, (model) => againstPlain(decode, model, (run) => run?.decodeTps)),
  ];
  const rows = [
    row(
      "P1",
      "Decode without hooks, to the plain loop",
      ">= 0.98 tiny, >= 0.99 at 0.5B and up",
      [...ratios("engine", "plain", sizes, (model) => (model === small ? 0.98 : 0.99))],
      besideNote(ratios, "engine"),
    ),
    row(
      "P2",
      "With an awaited TypeScript hook on every token",
      ">= 0.95 tiny, >= 0.99 at 0.5B and up",
      hookFigures("engine-awaited", sizes, (model) => (model === small ? 0.95 : 0.99)),
      joined(pairedNote(paired, "engine-awaited"), besideNote(ratios, "engine-awaited")),
    ),
    row(
      "P3",
      "With an observing TypeScript hook",
      ">= 0.97 tiny, >= 0.99 at 0.5B",
      hookFigures("engine-observed", smallSizes, (model) => (model === small ? 0.97 : 0.99)),
      pairedNote(paired, "engine-observed"),
    ),
    row(
      "P4",
      "With an awaited hook, to the better of node-llama-cpp and llama.node without",
      ">= 1.8x tiny, >= 1.4x at 0.5B and 1.1B",
      ratios("engine-awaited", ["node-llama-cpp", "llama.node"], sizes, (model) => (model === small ? 1.8 : 1.4)),
      limitNote(ratios("plain", ["node-llama-cpp", "llama.node"], sizes, () => 0)),
    ),
    ...micro,
    row(
      "P9",
      "8 at once, sum of tokens/s",
      ">= 0.9 of llama.cpp's own batched decode, >= 2.5x node-llama-cpp",
      [...ratios("engine", "plain", sizes, () => 0.9, 8), ...ratios("engine", ["node-llama-cpp"], sizes, () => 2.5, 8)],
      joined(limitNote(ratios("plain", ["node-llama-cpp"], sizes, () => 0, 8)), besideNote(ratios, "engine", 8)),
    ),
    conversationRow(cache),
    sharedRow(cache),
    row(
      "P12",
      "Memory over the plain loop, and over a long run",
      "<= 60 MB; flat over 100,000 tokens, 1,000,000 calls",
      [...memoryFigures(decode), ...soakFigures(soak)],
      soak && soakNote(soak),
    ),
    row("P12b", "Memory at 0.5B, to the plain loop", "<= its peak plus 20 MB", memoryFigures(decode, ["0.5b"], 20)),
    row("P13", "Import; engine ready on a loaded page cache", "<= 100 ms; <= 1.2x the plain loop's load", [
      ...(imports === undefined ? [] : [atMost("import, median", spread(imports), "ms", 100)]),
      ...loadFigures(decode),
    ]),
    ...lastingRows(found),
  ];
  return rows
    .filter(({ id }) => wanted === undefined || wanted.includes(id))
    .map((one) => (one.pass === null && failures[one.id] !== undefined ? { ...one, note: failures[one.id] } : one));
}

function find(decode, model, name, sequences = 1) {
  return decode?.get(model)?.find(({ contender }) => contender.name === name && contender.sequences === sequences);
}

/**
 * Returns a function that computes a figure for each model on which both sides ran: the ratio of speeds within rounds.
 */
function ratiosOf(decode) {
  return (name, others, models, limitOf, sequences = 1) =>
    models.flatMap((model) => {
      const ours = find(decode, model, name, sequences);
      const theirs = [others].flat().flatMap((other) => find(decode, model, other, sequences) ?? []);
      if (ours === undefined || theirs.length === 0) return [];
      const ratio = withinRounds(speedsOf(ours.byRound), bestOf(theirs.map(({ byRound }) => speedsOf(byRound))));
      const to = theirs.map(({ contender }) => contender.name).join(", ");
      return ratio === null ? [] : [atLeast(`${model}, to ${to}`, ratio, "x", limitOf(model))];
    });
}

/**
 * The share of the speed that remains with hooks, measured in pairs, times the ratio of no hooks to the plain loop from
 * the rounds: the loop is a separate program and cannot be one side of a pair. If the loop did not run: relative to no
 * hook.
 */
function pairedFigures(paired = [], name, models, limitOf, noHookToPlain) {
  return models.flatMap((model) => {
    const found = paired.find((one) => one.model === model && one.contender === name);
    if (found === undefined) return [];
    const base = noHookToPlain(model);
    const label = `${model}, paired, to ${base === null ? "no hook" : "plain"}`;
    return [atLeast(label, scaled(found.ratio, base?.median ?? 1), "x", limitOf(model))];
  });
}

function pairedNote(paired = [], name) {
  const parts = paired
    .filter(({ contender }) => contender === name)
    .map(({ model, without, ratio }) => {
      const added = ((1 / ratio.median - 1) * 1e6) / without.median;
      return `${model} ${ratio.median.toFixed(3)}x, ${added < 0 ? "" : "+"}${added.toFixed(0)} us a token`;
    });
  return parts.length === 0 ? undefined : `paired, to no hook: ${parts.join("; ")}`;
}

function againstPlain(decode, model, figure, combine) {
  const [ours, plain] = [find(decode, model, "engine"), find(decode, model, "plain")];
  if (ours === undefined || plain === undefined) return null;
  return withinRounds(ours.byRound.map(figure), plain.byRound.map(figure), combine);
}

/** The plain loop's own ratios in the same rounds: nothing built on llama.cpp can exceed them by much. */
function limitNote(figures) {
  if (figures.length === 0) return undefined;
  return `the plain loop itself: ${figures.map(({ label, value }) => `${label} ${value.toFixed(2)}x`).join("; ")}`;
}

/** Our speed relative to other programs, for which no target exists. */
function besideNote(ratios, name, sequences = 1) {
  return joined(
    ...["node-llama-cpp", "llama-server"].map((other) => {
      const found = ratios(name, other, sizes, () => 0, sequences);
      if (found.length === 0) return undefined;
      return found.map(({ label, value }) => `${label} ${value.toFixed(2)}x`).join("; ");
    }),
  );
}

function joined(...notes) {
  return notes.filter((note) => note !== undefined).join("; ") || undefined;
}

/** Peak memory with KV caches of one size. The plain loop does not include Node.js. */
function memoryFigures(decode, models = sizes, limit = 60) {
  const peak = (run) => run && (run.peakRssKib * 1024) / megabyte;
  return models.flatMap((model) => {
    const over = againstPlain(decode, model, peak, (ours, plain) => ours - plain);
    return over === null ? [] : [atMost(`${model}, peak over plain`, over, "MB", limit)];
  });
}

function loadFigures(decode) {
  return sizes.flatMap((model) => {
    const ratio = againstPlain(decode, model, (run) => run?.loadMs);
    return ratio === null ? [] : [atMost(`${model}, load`, ratio, "x", 1.2)];
  });
}

function soakFigures(soak) {
  if (soak === undefined) return [];
  const { growth, balance } = soak;
  return [
    { label: "growth in a long run", value: growth, unit: "%", target: "within 2", pass: Math.abs(growth) <= 2 },
    { label: "blocks left after it", value: balance, unit: "blocks", target: "0", pass: balance === 0 },
  ];
}

function soakNote({ generations, tokens, calls, quarters, seconds }) {
  const work = `${(generations * tokens).toLocaleString("en")} tokens, ${calls.toLocaleString("en")} calls of hooks`;
  const sizes = quarters.map(({ rss }) => (rss / mib).toFixed(1)).join(", ");
  return `${work} in ${seconds.toFixed(0)} s; MiB by quarter of the run: ${sizes}`;
}

function conversationRow(cache) {
  const [id, what] = ["P10", "Turn n of a conversation: what is read again"];
  const target = ">= 95 % of the earlier tokens come from the KV cache";
  if (cache === undefined) return row(id, what, target, []);
  const { turns, toolTurns } = cache;
  const called = toolTurns.reduce((sum, { tools }) => sum + tools, 0);
  const figures = [
    atLeast(`turns 2 to ${turns.length}, the least`, cachedShares(turns), "%", 95),
    atLeast(`${toolTurns.length} model calls, ${called} tool calls`, cachedShares(toolTurns), "%", 95),
  ];
  const first = `prompt ms by turn: ${turns.map(({ promptMs }) => promptMs.toFixed(1)).join(", ")}`;
  const lengths = `of prompts of ${turns.map(({ promptTokens }) => promptTokens).join(", ")} tokens`;
  return row(id, what, target, figures, `${first} ${lengths}`);
}

/** The share of the earlier tokens that each turn finds in the cache, in percent. The lowest counts. */
function cachedShares(turns) {
  const shares = turns.slice(1).map(({ cachedTokens, earlier }) => (cachedTokens / earlier) * 100);
  return { ...spread(shares), median: Math.min(...shares) };
}

function sharedRow(cache) {
  const [id, what, target] = ["P11", "A system prompt shared by 8 sessions", "evaluated once"];
  if (cache === undefined) return row(id, what, target, []);
  const { count, shared, prompts, evaluated } = cache.together;
  // Each prompt's last token is always evaluated, because its logits are needed.
  const least = prompts - (count - 1) * shared;
  const note = `${count} prompts of ${prompts} tokens in all share ${shared}; ${evaluated} were evaluated, ${least} are the least`;
  const times = spread([1 + (evaluated - least) / shared]);
  return row(id, what, target, [atMost("evaluated so many times", times, "x", 1.05)], note);
}

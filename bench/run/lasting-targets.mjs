// The rows P14 to P31, computed from the results of bench/run/lasting.mjs and prompt-speed.mjs, any of which may be
// missing. Must not: round a failure up.
import { median, spread, withinRounds } from "../../dist/bench/results/statistics.js";
import { atLeast, atMost, row } from "./figures.mjs";

export function lastingRows(found) {
  const { flat, prompts, fair, firstBatch, speculation, swaps, kinds, burst, agentLoop, isolation, remote } = found;
  const { serving, connections, longTurns } = found;
  return [
    flatRow(flat),
    promptRow(prompts),
    fairRow(fair),
    firstBatchRow(firstBatch),
    speculationRow(speculation),
    swapRow(swaps),
    kindsRow(kinds),
    burstRow(burst),
    agentLoopRow(agentLoop),
    isolationRow(isolation),
    remoteRow(remote),
    servingRow(serving),
    connectionsRow(connections),
    longTurnsRow(longTurns),
  ];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function listed(values, digits = 0) {
  return values.map((value) => value.toFixed(digits)).join(", ");
}

function flatRow(runs) {
  const [id, what, target] = [
    "P14",
    "Ten generations in one process, 400 tokens each",
    ">= 0.98, the last three to the first two",
  ];
  if (runs === undefined) return row(id, what, target, []);
  const ratios = runs.map(({ speeds }) => mean(speeds.slice(-3)) / mean(speeds.slice(0, 2)));
  const each = runs[0].speeds.map((_, index) => median(runs.map(({ speeds }) => speeds[index])));
  const note = `tokens/s of each, medians of ${runs.length} processes: ${listed(each)}`;
  return row(id, what, target, [atLeast("tiny, context 1,024", spread(ratios), "x", 0.98)], note);
}

function promptRow(prompts = []) {
  const speedsOf = (measured, name) =>
    measured
      .find(({ contender }) => contender.name === name)
      ?.byRound.map((one) => one && (one.promptTokens * 1000) / one.promptMs);
  const notes = [];
  const figures = prompts.flatMap(({ name, promptTokens, measured }) => {
    const [ours, plain] = ["engine", "plain"].map((contender) => speedsOf(measured, contender));
    const ratio = withinRounds(ours, plain);
    if (ratio === null) return [];
    const rate = median(ours.filter((one) => one !== undefined));
    const beside = ["node-llama-cpp", "llama-server"].flatMap((other) => {
      const theirs = speedsOf(measured, other);
      const ratio = theirs && withinRounds(ours, theirs);
      return ratio ? [`${ratio.median.toFixed(2)}x ${other}`] : [];
    });
    notes.push([`${name}, ${promptTokens} tokens: ${rate.toFixed(0)}`, ...beside].join(", "));
    return [atLeast(`${name}, ${promptTokens} tokens`, ratio, "x", 0.98)];
  });
  const note = notes.length === 0 ? undefined : `prompt tokens/s: ${notes.join("; ")}`;
  return row("P15", "Prompt tokens/s, to the plain loop", ">= 0.98 at 1,000 and 4,000 tokens", figures, note);
}

function fairRow(fair) {
  const [id, what] = ["P16", "A running generation while another one's long prompt is read"];
  const target = "gaps between tokens <= 12 steps (p95); the prompt >= 0.75 of its speed alone";
  if (fair === undefined) return row(id, what, target, []);
  const { name, step, gaps, p95, promptTokens, alone, beside } = fair;
  const figures = [
    atMost(`${name}, gap, p95`, spread([p95 / step]), "steps", 12),
    atLeast(`${name}, prompt's speed, to alone`, spread([beside / alone]), "x", 0.75),
  ];
  const times = `a step takes ${step.toFixed(1)} ms; ${gaps.length} gaps, median ${median(gaps).toFixed(0)} ms, longest ${Math.max(...gaps).toFixed(0)} ms`;
  return row(id, what, target, figures, `${times}; ${promptTokens} prompt tokens, ${alone.toFixed(0)} a second alone`);
}

function firstBatchRow(found) {
  const [id, what] = ["P17", "From generate() to the first batch, second call on"];
  const target = "<= 0.6 ms with 3 tools, <= 2 ms with 20 tools and 60 messages";
  if (found === undefined) return row(id, what, target, []);
  const limits = { "3 tools": 0.6, "20 tools, 60 messages": 2 };
  const figures = Object.entries(limits).map(([name, limit]) => atMost(name, spread(found[name]), "ms", limit));
  const way = `a raw prompt takes ${median(found.raw).toFixed(2)} ms, the way of the first token's event to its reader in all`;
  return row(id, what, target, figures, `${way}; template of Qwen2.5, made-up model`);
}

function speculationRow(found) {
  const [id, what] = ["P18", "Speculation by n-grams, to none"];
  const target = ">= 1.4x of copied text, >= 0.98x of free text";
  if (found?.pairs === undefined) return row(id, what, target, [], found?.notBuilt);
  const { name, pairs } = found;
  const ratio = (text) => spread(pairs.map((pair) => pair.with[text] / pair.without[text]));
  const rate = (side, text) => median(pairs.map((pair) => pair[side][text])).toFixed(0);
  const figures = [
    atLeast(`${name}, copied text`, ratio("copied"), "x", 1.4),
    atLeast(`${name}, free text`, ratio("free"), "x", 0.98),
  ];
  const of = (text) => `${text} ${rate("without", text)} and ${rate("with", text)}`;
  return row(id, what, target, figures, `tokens/s without and with: ${of("copied")}, ${of("free")}`);
}

function swapRow(swaps = []) {
  const notes = [];
  const figures = swaps.flatMap(({ name, conversations, sequences, promptTokens, shares, swapMs }) => {
    const label = `${name}, ${conversations} of ${promptTokens} tokens over ${sequences}`;
    if (swapMs === null) notes.push(`${name}: nothing is kept of what has left its sequence`);
    const kept = atLeast(`${label}: kept, the least`, { ...spread(shares), median: Math.min(...shares) }, "%", 95);
    return swapMs === null ? [kept] : [kept, atMost(`${name}, a swap`, spread(swapMs), "ms", 10)];
  });
  const how = "a swap: the time to the first token after others had the sequences, less that of the same prompt again";
  return row(
    "P19",
    "More conversations than sequences, in turn",
    ">= 95 % not evaluated again; a swap <= 10 ms",
    figures,
    figures.length === 0 ? undefined : [...notes, how].join("; "),
  );
}

function kindsRow(kinds = []) {
  const figures = kinds.map(({ name, turns }) => {
    const shares = turns.slice(1).map(({ cachedTokens, earlier }) => (cachedTokens / earlier) * 100);
    const least = { ...spread(shares), median: Math.min(...shares) };
    return atLeast(`${name}, turns 2 to ${turns.length}, the least`, least, "%", 95);
  });
  const lengths = kinds[0]?.turns.map(({ promptTokens }) => promptTokens).join(", ");
  const note = lengths && `hybrid: in the manner of LFM2; windowed: of Gemma 3; prompts of ${lengths} tokens`;
  return row("P20", "P10 on models that do not remember every token in every layer", ">= 95 %", figures, note);
}

function burstRow(found) {
  const [id, what] = ["P21", "1,000 requests at once"];
  const target = "threads bounded by sequences, memory flat, >= 0.95 of the speed with as many in flight as sequences";
  if (found === undefined) return row(id, what, target, []);
  const { requests, sequences, idle, steady, bursts } = found;
  const [first, second] = bursts;
  const ratio = spread([mean(bursts.map(({ rate }) => rate)) / mean(steady.map(({ rate }) => rate))]);
  const figures = [
    atLeast(`${requests} at once, to ${sequences} in flight`, ratio, "x", 0.95),
    ...(idle.threads === null
      ? []
      : [
          atMost(
            "threads that they add",
            spread([Math.max(first.threads, second.threads) - idle.threads]),
            "threads",
            2 * sequences + 1,
          ),
        ]),
    atMost("memory, over that with few in flight", spread([first.residentMb - steady[0].residentMb]), "MB", 20),
    atMost("memory of the same again, over the first", spread([second.residentMb - first.residentMb]), "MB", 5),
  ];
  const rates = `tokens/s, prompts read meanwhile: ${listed(steady.map(({ rate }) => rate))} with ${sequences} in flight, ${listed(bursts.map(({ rate }) => rate))} at once`;
  return row(id, what, target, figures, `tiny, 32 tokens each; ${rates}; ${idle.threads} threads when idle`);
}

// Both sides make the model do the same work, which is checked, but the noise of a large model exceeds everything that
// a loop can cost. So from 0.5B on, that time counts as equal on both sides, and the rest is compared. The whole time
// of "tiny" shows that the loop does not slow down the model itself.
function agentLoopRow(loops = []) {
  const notes = [];
  const figures = loops.map(({ name, iterations, run, byHand, runOutside, byHandOutside, completionTokens }) => {
    const whole = withinRounds(run, byHand);
    const ms = (values) => (median(values) / iterations).toFixed(2);
    const all = `${whole.median.toFixed(3)} x (${whole.lowest.toFixed(3)} to ${whole.highest.toFixed(3)})`;
    notes.push(`${name} ${ms(runOutside)} and ${ms(byHandOutside)} of ${ms(run)} ms, all in all ${all}`);
    const label = `${name}, ${iterations} calls, ${completionTokens} tokens`;
    if (name === "tiny") return atMost(label, whole, "x", 1.05);
    const beside = run.map((_, i) => 1 + (runOutside[i] - byHandOutside[i]) / byHand[i]);
    return atMost(`${label}, beside the model's time`, spread(beside), "x", 1.02);
  });
  const how = "outside the model, an iteration of the run and a call by hand";
  return row(
    "P22",
    "A session's run with tools, to the same model calls by hand, without hooks",
    "<= 1.05 of the time tiny, <= 1.02 at 0.5B and up",
    figures,
    figures.length === 0 ? undefined : `${how}: ${notes.join("; ")}`,
  );
}

function isolationRow(sizes = []) {
  const figures = sizes.map(({ name, none, process: isolated }) =>
    atLeast(`${name}, an awaited hook on each token`, withinRounds(isolated, none), "x", name === "tiny" ? 0.9 : 0.97),
  );
  const rates = sizes.map(({ name, none }) => `${name} ${median(none).toFixed(0)} tokens/s in this process`);
  const target = ">= 0.90 of the speed tiny, >= 0.97 at 0.5B";
  const note = figures.length === 0 ? undefined : rates.join("; ");
  return row("P23", "A model in a process of the engine's own, to one in this process", target, figures, note);
}

function remoteRow(found) {
  const [id, what] = ["P24", "A remote model through the engine, beyond its provider's own time"];
  const target = "<= 1 ms a call, <= 60 us a piece";
  if (found === undefined) return row(id, what, target, []);
  const { pieces, streams, streamsMs, pieceUs, hookedPieceUs, callMs } = found;
  const figures = [
    atMost("a call of one piece", spread(callMs), "ms", 1),
    atMost("a piece", spread(pieceUs), "us", 60),
    atMost("a piece with an awaited hook", spread(hookedPieceUs), "us", 60),
  ];
  const each = ((streamsMs * 1000) / (streams * pieces)).toFixed(1);
  return row(id, what, target, figures, `${streams} answers of ${pieces} pieces at once: ${each} us a piece`);
}

function servingRow(found) {
  const [id, what] = ["P25", "32 answers streamed over HTTP, to the same awaited in the process"];
  const target = ">= 0.9 of the speed, >= 2x llama-server; first token <= 3 ms later";
  if (found === undefined) return row(id, what, target, []);
  const { streams, tokens, speeds, first } = found;
  const { awaited, streamed, llamaServer } = speeds;
  const later = median(first.streamed) - median(first.awaited);
  const figures = [
    atLeast("tiny, to awaited", withinRounds(streamed, awaited), "x", 0.9),
    ...(llamaServer === undefined ? [] : [atLeast("to llama-server", withinRounds(streamed, llamaServer), "x", 2)]),
    atMost("first token, later than awaited", spread([later]), "ms", 3),
  ];
  const rates = Object.entries(speeds).map(([name, values]) => `${name} ${median(values).toFixed(0)}`);
  const missing = llamaServer === undefined ? "; llama-server is not built (scripts/build/llama-server.mjs)" : "";
  return row(id, what, target, figures, `${streams} times ${tokens} tokens, tokens/s: ${rates.join(", ")}${missing}`);
}

function connectionsRow(found) {
  const [id, what, target] = ["P26", "Idle connections that are kept alive", "10,000 take < 200 MB"];
  if (found === undefined) return row(id, what, target, []);
  const { connections, beforeMb, afterMb } = found;
  const added = atMost(`memory that ${connections} add`, spread([afterMb - beforeMb]), "MB", 200);
  return row(id, what, target, [added], `the process has ${afterMb.toFixed(0)} MB then`);
}

function longTurnsRow(found) {
  const [id, what] = ["P31", "A turn of a long conversation: from generate() to the first batch"];
  const target = "400 messages <= 10 ms, <= 3x 10 messages, <= 0.2x llama-server (first turn 1.1x); 800 <= 1.5x 400";
  if (found === undefined) return row(id, what, target, []);
  const figures = Object.entries(found).flatMap(([name, sides]) => longTurnsFigures(name, sides));
  const missing = figures.some(({ label }) => label.includes("llama-server"))
    ? ""
    : "; llama-server is not built (scripts/build/llama-server.mjs)";
  return row(id, what, target, figures, `10 tools, two new messages; made-up model${missing}`);
}

/** The first time of each list is that of the first turn. */
function longTurnsFigures(name, { ours, llamaServer }) {
  const [short, long, longer] = Object.values(ours).map((times) => times.slice(1));
  const size = Object.keys(ours)[1];
  const figures = [atMost(`${name}, ${size} messages to 10`, withinRounds(long, short), "x", 3)];
  if (longer !== undefined) {
    figures.unshift(atMost(`${name}, 400 messages`, spread(long), "ms", 10));
    figures.push(atMost(`${name}, 800 to 400`, withinRounds(longer, long), "x", 1.5));
  }
  for (const [at, [first, ...later]] of Object.entries(llamaServer)) {
    const [ourFirst, ...ourLater] = ours[at];
    figures.push(
      atMost(`${name}, ${at} messages to llama-server`, spread([median(ourLater) / median(later)]), "x", 0.2),
      atMost(`${name}, first turn of ${at} to llama-server`, spread([ourFirst / first]), "x", 1.1),
    );
  }
  return figures;
}

// The contenders of each model, their rounds, and the rows of the table of targets that need them. Short runs are
// noisy but cheap, so the tiny model gets more rounds. Contenders that no target compares, and slow ones, take part in
// some of the rounds, and slow ones write less.

/** Tokens of the prompt; eight such prompts fit into one batch. */
export const promptTokens = 48;
export const many = 8;

/** Models with real weights, which scripts/test/real/models.mjs fetches: measured where they are asked for. */
export const realModels = {
  smollm2: "SmolLM2-135M-Instruct.Q4_1.gguf",
  gemma3: "gemma-3-270m-q4_k_m.gguf",
};

const vocabulary = { tiny: "llama-spm", "0.5b": "qwen2", "1.1b": "llama-spm", "8b": "llama-bpe" };

/** `rows`: the targets that need the contender; none: for the page, in full runs only. */
function contenders({ some, slowTokens, manyTokens, slowestTokens }) {
  return [
    { name: "plain", rows: ["P1", "P2", "P3", "P12", "P12b", "P13"] },
    { name: "engine", rows: ["P1", "P2", "P3", "P12", "P12b", "P13"] },
    { name: "engine-observed", rows: ["P3"] },
    { name: "engine-awaited", rows: ["P2", "P4"] },
    { name: "engine-c-hook", rounds: some },
    { name: "engine-async", rounds: some },
    { name: "engine-all-points", rounds: some },
    { name: "engine-streamed", rounds: some },
    { name: "engine-slow-reader", rounds: some },
    { name: "node-llama-cpp", rows: ["P4"], rounds: some, tokens: slowTokens },
    { name: "node-llama-cpp-streamed", rounds: some, tokens: slowTokens },
    { name: "llama.node", rows: ["P4"], rounds: some, tokens: slowestTokens },
    { name: "llama-server", rows: ["P1", "P2", "P4"], rounds: some },
    { name: "plain", rows: ["P9"], sequences: many, tokens: manyTokens },
    { name: "engine", rows: ["P9"], sequences: many, tokens: manyTokens },
    { name: "engine-awaited", sequences: many, tokens: manyTokens, rounds: some },
    { name: "node-llama-cpp", rows: ["P9"], sequences: many, tokens: Math.min(32, manyTokens), rounds: some },
    { name: "llama-server", rows: ["P9"], sequences: many, tokens: manyTokens, rounds: some },
  ];
}

/** On the larger models only contenders of targets are measured, one generation at a time. */
function core(options) {
  return contenders(options).filter(({ rows, sequences }) => rows !== undefined && sequences === undefined);
}

const models = {
  tiny: {
    tokens: 1024,
    rounds: 21,
    contenders: contenders({ some: 5, slowTokens: 192, slowestTokens: 256, manyTokens: 256 }),
  },
  "0.5b": {
    tokens: 192,
    rounds: 9,
    contenders: contenders({ some: 3, slowTokens: 64, slowestTokens: 24, manyTokens: 48 }),
  },
  "1.1b": { tokens: 96, rounds: 7, contenders: core({ some: 3, slowTokens: 48, slowestTokens: 12, manyTokens: 32 }) },
  ...Object.fromEntries(
    Object.keys(realModels).map((name) => [
      name,
      {
        tokens: 128,
        rounds: 7,
        contenders: contenders({ some: 3, slowTokens: 64, slowestTokens: 24, manyTokens: 48 }),
      },
    ]),
  ),
  "8b": {
    tokens: 256,
    rounds: 5,
    contenders: contenders({ some: 3, slowTokens: 128, slowestTokens: 64, manyTokens: 64 }),
  },
};

/** The rows that each part of a run fills. */
export const parts = {
  decode: ["P1", "P2", "P3", "P4", "P9", "P12", "P12b", "P13"],
  pairs: ["P2", "P3"],
  micro: ["P5", "P6", "P7", "P7b", "P8"],
  cache: ["P10", "P11"],
  soak: ["P12"],
  start: ["P13"],
  flat: ["P14"],
  prompts: ["P15"],
  fair: ["P16"],
  "first batch": ["P17"],
  speculation: ["P18"],
  swaps: ["P19"],
  kinds: ["P20"],
  burst: ["P21"],
  "agent loop": ["P22"],
  isolation: ["P23"],
  remote: ["P24"],
  serving: ["P25"],
  connections: ["P26"],
  "long turns": ["P31"],
};

/** In the order of their numbers. */
export const allRows = Object.values(parts)
  .flat()
  .filter((id, index, all) => all.indexOf(id) === index)
  .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
export const modelNames = Object.keys(models);

export function vocabularyOf(name) {
  return vocabulary[name];
}

/** The models of a run among these, and the real ones that are asked for; those in the second list on a GPU only. */
export function choose(always, onGpu, { names, gpu }, real = []) {
  const all = [...always, ...(gpu === false ? [] : onGpu), ...real.filter((name) => names?.includes(name))];
  const chosen = all.filter((name) => names === undefined || names.includes(name));
  if (chosen.length === 0) throw new Error(`not in this run: it needs the model ${all.join(" or ")}`);
  return chosen;
}

/**
 * The models of a run with their contenders. `rows`: undefined for all; `most`: the maximum of tokens that a
 * measurement writes. On a GPU the small models tell little and the 8B one counts; on a CPU it would take too long.
 */
export function planModels({ names, rows, most = Infinity, quick, gpu }) {
  const chosen = names ?? (gpu === false ? ["tiny", "0.5b", "1.1b"] : ["tiny", "0.5b", "1.1b", "8b"]);
  return chosen.map((name) => {
    const { tokens, rounds, contenders } = models[name];
    const needed = contenders.filter((one) => rows === undefined || one.rows?.some((row) => rows.includes(row)));
    return {
      name,
      vocabulary: vocabulary[name],
      tokens: Math.min(tokens, most),
      rounds: quick ? Math.min(2, rounds) : rounds,
      contenders: needed.map((one) => ({
        ...one,
        ...(one.tokens !== undefined && { tokens: Math.min(one.tokens, most) }),
        ...(one.rounds !== undefined && quick && { rounds: 1 }),
      })),
    };
  });
}

// The targets P5 to P8, from the micro-benchmarks. Must not: leave out a figure that fails.

const at = (limit, unit) => (label, value) => ({ label, value, unit, target: `<= ${limit}`, pass: value <= limit });

const rules = [
  {
    id: "P5",
    what: "Dispatch with no hook registered",
    target: "<= 5 ns, no allocation",
    figures: (find) =>
      ["has()", "fire()"].flatMap((label) => {
        const { median, allocations } = find("no hook", label);
        return [at(5, "ns")(label, median), at(0, "allocations")(`${label}, allocations`, allocations)];
      }),
  },
  {
    id: "P6",
    what: "One C hook that does nothing, with a token's context",
    target: "<= 1 us",
    figures: (find) => [at(1, "us")("one token", find("C hooks on one point", "1 hook").median / 1000)],
  },
  {
    id: "P7",
    what: "One awaited TypeScript hook, 200 bytes of context or a little more, there and back",
    target: "<= 15 us median, <= 60 us p99",
    figures: (find) => {
      const { median, p99 } = find("round trip, text answered", "256 bytes");
      return [at(15, "us")("256 bytes, median", median / 1000), at(60, "us")("256 bytes, p99", p99 / 1000)];
    },
  },
  {
    id: "P7b",
    what: "A token that the `when` of a TypeScript hook rules out: no round trip",
    target: "<= 1 us; <= 0.2x an awaited hook that returns nothing",
    figures: (find) => {
      const of = (label) => find("matched away", label).median / 1000;
      return ["by what meta says", "by the text"].flatMap((label) => [
        at(1, "us")(label, of(label)),
        at(0.2, "x")(`${label}, to awaited`, of(label) / of("awaited")),
      ]);
    },
    note: (find) => {
      const of = (label) => `${label}: ${find("matched away", label).median.toFixed(0)} ns`;
      return `${of("no hook")}; ${of("observed")}; ${of("awaited")}`;
    },
  },
  {
    id: "P8",
    what: "100 hooks on one point",
    target: "the cost of a hook is within 1.5x of that with 10",
    figures: (find) => {
      const costOf = (hooks) => find("C hooks on one point", `${hooks} hooks`).median / hooks;
      return [at(1.5, "x")("cost of a hook, 100 to 10", costOf(100) / costOf(10))];
    },
  },
];

class Missing extends Error {}

/** Rows P5 to P8 of the table of targets; a row without measured figures says so. */
export function microRows({ micro }) {
  const find = (group, label) => {
    const found = micro.find((one) => one.group === group && one.label === label);
    if (found === undefined) throw new Missing(`not measured: ${group}, ${label}`);
    return found;
  };
  return rules.map(({ figures: read, note, ...row }) => {
    try {
      const figures = read(find);
      const said = note === undefined ? {} : { note: note(find) };
      return { ...row, figures, pass: figures.every(({ pass }) => pass), ...said };
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      return { ...row, figures: [], pass: null, note: error.message };
    }
  });
}

// The result of `npm run reliability` as one page without scripts: a table, and curves of memory, handles and threads.

const width = 640;
const height = 120;
const curves = [
  { key: "rssMb", label: "memory, MB" },
  { key: "handles", label: "open handles" },
  { key: "threads", label: "threads" },
];

function escaped(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** One curve as SVG, from zero. */
function curve(samples, { key, label }) {
  const most = Math.max(1, ...samples.map((sample) => sample[key]));
  const last = samples.at(-1).s || 1;
  const points = samples.map((sample) => {
    const x = (sample.s / last) * width;
    return `${x.toFixed(1)},${(height - (sample[key] / most) * height).toFixed(1)}`;
  });
  const end = samples.at(-1)[key];
  return `<figure><figcaption>${label}: at most ${most.toFixed(0)}, ${end.toFixed(0)} at the end, over ${last.toFixed(0)} s</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"><polyline fill="none" stroke="currentColor" points="${points.join(" ")}"/></svg></figure>`;
}

function section({ name, seconds, counts, faults, samples = [] }) {
  const listed = Object.entries(counts)
    .map(([key, value]) => `${escaped(value)} ${escaped(key)}`)
    .join(", ");
  const wrong = faults.length === 0 ? "" : `<ul>${faults.map((fault) => `<li>${escaped(fault)}</li>`).join("")}</ul>`;
  const drawn = samples.length < 2 ? "" : curves.map((each) => curve(samples, each)).join("\n");
  return `<h2>${escaped(name)}: ${faults.length === 0 ? "held" : `${faults.length} faults`}</h2>
<p>${listed}; ${seconds.toFixed(0)} s</p>${wrong}\n${drawn}`;
}

export function reliabilityPage({ commit, date, node, parts }) {
  return `<!doctype html>
<meta charset="utf-8"><title>Reliability</title>
<style>
:root { color-scheme: light dark; font: 15px system-ui, sans-serif; }
body { max-width: ${width}px; margin: 2em auto; }
svg { width: 100%; border-bottom: 1px solid; }
figure { margin: 1em 0; }
</style>
<h1>Reliability</h1>
<p>Commit ${escaped(commit)}, ${escaped(date)}, Node ${escaped(node)}.</p>
${parts.map(section).join("\n")}
`;
}

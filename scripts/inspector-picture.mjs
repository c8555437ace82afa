// Draws docs/inspector.svg: a run as the inspector's page shows it, from the trace in
// test/fixtures/inspector-trace.json. With --record it first runs an agent on a script model and writes that trace
// anew, which needs dist/.
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { duration } from "../src/inspector/page/browser/format.js";
import { openText } from "../src/inspector/page/browser/from-file.js";
import { levelOf } from "../src/inspector/page/browser/levels.js";
import { rowsOf } from "../src/inspector/page/browser/rows.js";

const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const traceFile = at("test/fixtures/inspector-trace.json");
const [width, names, rowHeight, top] = [960, 220, 26, 44];

/** The text of the picture of a trace. */
export function inspectorPicture(text) {
  const { model } = openText("trace", text);
  const rows = rowsOf(model, new Set(), "", false).filter(
    ({ node }) => node.kind !== "engine" && node.kind !== "modelLoad",
  );
  const begin = Math.min(...rows.map(({ node }) => node.begin));
  const end = Math.max(...rows.map(({ node }) => node.end ?? node.begin));
  const x = (time) => names + ((time - begin) / (end - begin)) * (width - names - 80);
  const parts = rows.map(({ node, level }, index) => rowPart(model, node, level, top + index * rowHeight, x));
  const height = top + rows.length * rowHeight + 46;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run in the inspector">
<style>${style}</style>
<rect class="page" width="${width}" height="${height}" rx="6"/>
<text class="strong" x="16" y="28">llama-hooks <tspan class="muted">running engine</tspan></text>
${parts.join("\n")}
${legend(height - 16)}
</svg>
`;
}

const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; fill: #1b2329 }
.page { fill: #fcfcfb; stroke: #d6dcdf } .rule { stroke: #e6eaec } .strong { font-weight: 600 } .muted { fill: #56626b; font-weight: 400 }
.small { font-size: 11px; fill: #56626b } .session { fill: #87929a } .run { fill: #7b909e } .modelCall { fill: #4690c6 } .toolCall { fill: #2f9a78 }
.veto { fill: #c22d22 } .failure { fill: #a84a00 } .change { fill: #8a3f8a } .code { fill: #b3261e; font-size: 11px }
@media (prefers-color-scheme: dark) {
text { fill: #e3e8eb } .page { fill: #13181c; stroke: #343e46 } .rule { stroke: #262f36 } .muted, .small { fill: #9caab3 }
.session { fill: #5f6b73 } .run { fill: #6d828f } .modelCall { fill: #3f8dc4 } .toolCall { fill: #2b9a76 }
.veto { fill: #ff8578 } .failure { fill: #f5a25e } .change { fill: #dc9fd8 } .code { fill: #ff9c8f }
}`;

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function rowPart(model, node, level, y, x) {
  const [left, right] = [x(node.begin), Math.max(x(node.end ?? node.begin), x(node.begin) + 2)];
  const isOuter = node.kind === "session";
  const thick = isOuter ? 4 : node.kind === "run" ? 10 : 14;
  const middle = y + rowHeight / 2;
  const indent = 16 + (level - 1) * 14;
  const name = isOuter ? "session" : node.name;
  const kind = node.kind === "run" || isOuter ? "strong" : "";
  const code =
    node.isFailed || (node.facts.resultKind ?? "ok") !== "ok" ? String(node.code ?? node.facts.resultKind ?? "") : "";
  return [
    `<line class="rule" x1="0" x2="${width}" y1="${y}" y2="${y}"/>`,
    `<rect class="${node.kind}" x="${indent}" y="${middle - 4}" width="8" height="8" rx="2"/>`,
    `<text class="${kind}" x="${indent + 16}" y="${middle + 4.5}">${escaped(name)}</text>`,
    code === ""
      ? ""
      : `<text class="code" x="${names - 12}" y="${middle + 4}" text-anchor="end">${escaped(code)}</text>`,
    `<rect class="${node.kind}" x="${round(left)}" y="${middle - thick / 2}" width="${round(right - left)}" height="${thick}" rx="2"/>`,
    isOuter
      ? ""
      : `<text class="small" x="${round(right + 7)}" y="${middle + 4}">${duration((node.end ?? node.begin) - node.begin)}</text>`,
    ...(isOuter ? [] : marks(model, node, middle, x)),
  ]
    .filter(Boolean)
    .join("\n");
}

function marks(model, node, y, x) {
  return model.dispatches.of(node).flatMap((one) => {
    const level = levelOf(one);
    const at = round(x(one.clockUs));
    if (level === "change") return [`<rect class="change" x="${at - 1}" y="${y - 9}" width="3" height="18"/>`];
    if (level !== "veto" && level !== "failure") return [];
    return [`<path class="${level}" d="M${at} ${y - 10}l5 10l-5 10l-5 -10z"/>`];
  });
}

function legend(y) {
  const keys = ["run", "model call", "tool call", "veto", "failure", "change"];
  return keys
    .map((key, index) => {
      const kind = key.replace(/ c/, "C");
      return `<rect class="${kind}" x="${16 + index * 100}" y="${y - 8}" width="9" height="9" rx="2"/><text class="small" x="${31 + index * 100}" y="${y}">${key}</text>`;
    })
    .join("");
}

function round(value) {
  return Math.round(value * 10) / 10;
}

async function record() {
  const { cancel, createEngine, tool, traceEvents } = await import("../dist/bundle/index.js");
  const { writeScriptModel } = await import("../dist/bundle/testing.js");
  const model = path.join(tmpdir(), `inspector-picture-${process.pid}.gguf`);
  const calls = (name, args) => ({ toolCalls: [{ name, args }] });
  await writeScriptModel(model, {
    replies: [
      calls("calculator", { expression: "12 * 7" }),
      calls("read_file", { path: "secrets.txt" }),
      calls("weather", { city: "Oslo" }),
      "12 * 7 is 84. I may not read secrets.txt. In Oslo it is sunny, at 4 degrees.",
    ],
  });
  const engine = await createEngine({ model, gpu: false, threads: 2 });
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const works = (name, ms, answer) => tool({ name, run: () => wait(ms).then(() => answer) });
  engine.hooks.on("preToolCall", () => cancel("no secrets"), { name: "keep-secrets", when: { toolName: "read_file" } });
  const sunny = () => ({ result: "sunny, 4 degrees" });
  engine.hooks.on("postToolCall", sunny, { name: "always-sunny", when: { toolName: "weather" } });
  const broken = () => Promise.reject(new Error("out of order"));
  engine.hooks.on("postToolCall", broken, { name: "broken", when: { toolName: "calculator" } });
  const events = [];
  const reading = (async () => {
    for await (const event of engine.trace()) events.push(event);
  })();
  const tools = [works("calculator", 12, "84"), works("read_file", 5, "?"), works("weather", 24, "rain, 4 degrees")];
  await engine.session({ tools }).run("What is 12 * 7, what does secrets.txt say, and how is the weather in Oslo?");
  await engine.close();
  await reading;
  await writeFile(traceFile, `${JSON.stringify(traceEvents(events), undefined, 1)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--record")) await record();
  await writeFile(at("docs/inspector.svg"), inspectorPicture(await readFile(traceFile, "utf8")));
}

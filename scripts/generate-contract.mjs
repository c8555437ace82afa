// Generates everything that the tables of native/contract/ define: for C, C++ and TypeScript, and the reference pages;
// and the table of layers in docs/architecture.md, from the rows that scripts/check/layers.mjs checks.
// With --check it writes nothing, names each stale file and exits 1. Must not: hold knowledge of a single row.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import {
  checkErrors,
  checkFlags,
  codeHeader,
  codeSource,
  errorsHeader,
  errorsPage,
  errorsTypescript,
  flagsHeader,
  flagsTypescript,
  flagTable,
} from "./contract/codes.mjs";
import { checkParameters, definition } from "./contract/parameters/table.mjs";
import { parametersComment, parametersHeader, parametersSource } from "./contract/parameters/cpp.mjs";
import { parametersReference } from "./contract/parameters/reference.mjs";
import { parametersTypescript, snakesOf } from "./contract/parameters/typescript.mjs";
import { plainEventJson, plainEventsHeader } from "./contract/events-cpp.mjs";
import { loadTable } from "./contract/points/table.mjs";
import { headerSection, pointRows } from "./contract/points/cpp.mjs";
import { typedPoints } from "./contract/points/typed.mjs";
import { pointsReference, shapesReference } from "./contract/points/reference.mjs";
import { checkResults, resultsComment, resultsPage, resultsTypescript } from "./contract/results.mjs";
import { parametersSchema, pointsSchema, resultsSchema } from "./contract/schemas.mjs";
import { typescript } from "./contract/points/typescript.mjs";
import { layersSection } from "./contract/layers.mjs";
import { readTable } from "./contract/read-table.mjs";
import { checkStrategies, strategiesHeader, strategiesSection } from "./contract/strategies.mjs";
import {
  checkControlTools,
  checkDirectives,
  controlToolsHeader,
  controlToolsSection,
  directivesHeader,
  directivesSection,
  toolsTypescript,
} from "./contract/tools.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (name) => readTable(root, name);
const parameters = checkParameters(read("parameters"));
const group = (name) => parameters.find((one) => one.name === name);
const shownParameters = { generate_params: definition(group("sampling")), load_params: definition(group("load")) };
const table = loadTable(read("points"), shownParameters, snakesOf(parameters));
const results = checkResults(read("results"), read("events"), table);
const pointNames = new Set(table.points.map(({ name }) => name));
const errors = checkErrors(read("errors"));
const flags = checkFlags(read("flags"));
const strategies = checkStrategies(read("strategies"));
const controlTools = checkControlTools(read("control_tools"));
const directives = checkDirectives(read("directives"));

/** Replaces the text between the markers of each name by that section, and returns the file's text. */
function sections(path, named) {
  let text = readFileSync(join(root, path), "utf8");
  for (const [name, section] of Object.entries(named)) {
    const [open, close] = path.endsWith(".md") ? ["<!--", "-->"] : ["/*", "*/"];
    const begin = `${open} generated: ${name} begin ${close}`;
    const from = text.indexOf(begin);
    const to = text.indexOf(`${open} generated: ${name} end ${close}`);
    if (from < 0 || to < from) throw new Error(`${path}: the markers of "${name}" are missing`);
    text = `${text.slice(0, from + begin.length)}\n${section}${text.slice(to)}`;
  }
  return text;
}

const modelGroups = ["sampling", "load", "own"].map(group);
const sessionGroups = ["session", "tier", "phase", "run", "history", "compact", "elicit"].map(group);
const requestGroups = ["engine", "adapter", "generate", "embed", "rerank", "tokenize", "detokenize", "render"].map(
  group,
);

const outputs = {
  "native/include/llama_hooks/hooks.h": (path) =>
    sections(path, {
      errors: errorsHeader(errors),
      points: headerSection(table),
      flags: flagsHeader("LH_HOOK_", flags.flags),
    }),
  "native/include/llama_hooks/engine.h": (path) =>
    sections(path, {
      "tool flags": flagsHeader("LH_TOOL_", flags.toolFlags),
      parameters: parametersComment(parameters),
      results: resultsComment(results, read("parameters").groups),
    }),
  "native/base/code.h": () => codeHeader(errors),
  "native/base/code.cpp": () => codeSource(errors),
  "native/generation/plain_events.h": () => plainEventsHeader(results),
  "native/engine/tasks/plain_event_json.h": () => plainEventJson(results),
  "native/hooks/points/flag_table.h": () => flagTable(flags.flags),
  "native/hooks/points/point_rows.h": () => pointRows(table),
  ...Object.fromEntries(
    typedPoints(table).map(([name, text]) => [`native/hooks/dispatch/points_${name}.h`, () => text]),
  ),
  "native/model/parameters.h": () =>
    parametersHeader(modelGroups, ["sampling", "load"], "Parameters of a generation and of a model."),
  "native/model/parameters.cpp": () => parametersSource(modelGroups, ["sampling", "load"], "model/parameters.h"),
  "native/agent/setup/session_parameters.h": () =>
    parametersHeader(sessionGroups, [], "The plain parts of what opens a session and starts a run."),
  "native/agent/setup/session_parameters.cpp": () =>
    parametersSource(sessionGroups, [], "agent/setup/session_parameters.h"),
  "native/engine/tasks/request_parameters.h": () =>
    parametersHeader(requestGroups, [], "The plain parts of what callers send: options of the engine and of requests."),
  "native/engine/tasks/request_parameters.cpp": () =>
    parametersSource(requestGroups, [], "engine/tasks/request_parameters.h"),
  "native/agent/compaction/strategy_table.h": () => strategiesHeader(strategies),
  "native/agent/controls/directive_table.h": () => directivesHeader(directives),
  "native/agent/setup/control_tool_table.h": () => controlToolsHeader(controlTools),
  "src/generated/errors.ts": () => errorsTypescript(errors, pointNames),
  "src/generated/flags.ts": () => flagsTypescript(flags),
  "src/generated/parameters.ts": () => parametersTypescript(parameters, pointNames),
  "src/generated/points.ts": () => typescript(table),
  "src/generated/results.ts": () => resultsTypescript(results),
  "src/generated/tools.ts": () => toolsTypescript(controlTools, directives),
  "schemas/points.schema.json": () => pointsSchema(table),
  "schemas/parameters.schema.json": () => parametersSchema(parameters, read("parameters").$defs),
  "schemas/results.schema.json": () => resultsSchema(results, errors),
  "docs/architecture.md": (path) => sections(path, { layers: layersSection() }),
  "docs/reference/errors.md": (path) => sections(path, { errors: errorsPage(errors, pointNames) }),
  "docs/concepts/delegation.md": (path) =>
    sections(path, {
      "control tools": controlToolsSection(controlTools),
      directives: directivesSection(directives),
    }),
  "docs/concepts/compaction.md": (path) => sections(path, { strategies: strategiesSection(strategies) }),
  "docs/reference/parameters.md": () => parametersReference(parameters, pointNames),
  "docs/reference/results.md": () => resultsPage(results),
  "docs/reference/points.md": () => pointsReference(table),
  "docs/reference/shapes.md": () => shapesReference(table),
};

const check = process.argv.includes("--check");
let stale = 0;
for (const [path, make] of Object.entries(outputs)) {
  const file = join(root, path);
  const wanted = make(path);
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) continue;
  if (check) {
    stale += 1;
    console.error(`${path} is not what its tables say; run: npm run generate`);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
    console.log(`wrote ${path}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

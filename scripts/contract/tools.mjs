// Reads and checks the tables of control tools and of directives; writes them for C++, TypeScript and the manual.
import { docs, markdownTable, origin, pascal, upperFirst } from "./text.mjs";

const NAME = /^[a-z]+(_[a-z]+)*$/;

const object = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });

function check(holds, message) {
  if (!holds) throw new Error(message);
}

export function checkDirectives({ directives }) {
  return directives.map((row) => {
    const { name, params, required, shown, what } = row;
    check(NAME.test(name) && what, `directives.json: ${name} lacks a name or what`);
    check((params === undefined) === (shown !== undefined), `directives.json: ${name} needs either params or shown`);
    check((params === undefined) === (required === undefined), `directives.json: ${name}.required goes with params`);
    return { ...row, schema: params === undefined ? { type: "object" } : object(params, required) };
  });
}

/** The columns of a control tool that are true or absent, with what each says in C++. */
const FLAGS = {
  ends_run: "the run ends with its argument",
  makes_plan: "its argument is a plan, whose steps are calls",
  asks_hooks: "while it runs, hooks may change its arguments",
  stays_in_phase: "models have it in every phase",
};
const CONTROL_TOOL_KEYS = ["name", "needs", "description", "parameters", "required", "what", ...Object.keys(FLAGS)];

export function checkControlTools({ control_tools: tools }) {
  return tools.map((row) => {
    const { name, needs, description, parameters, required, what } = row;
    for (const key of Object.keys(row)) {
      check(CONTROL_TOOL_KEYS.includes(key), `control_tools.json: ${name} has the unknown key ${key}`);
      check(!(key in FLAGS) || row[key] === true, `control_tools.json: ${name}.${key} is true or absent`);
    }
    check(NAME.test(name) && description && what, `control_tools.json: ${name} lacks a name, description or what`);
    check(parameters && required, `control_tools.json: ${name} lacks parameters or required`);
    check([undefined, "tiers", "phases"].includes(needs), `control_tools.json: ${name}.needs is unknown`);
    return { ...row, schema: object(parameters, required) };
  });
}

const enumeration = (rows) => rows.map(({ name }) => `k${pascal(name)}`).join(", ");
const json = (schema) => `R"json(${JSON.stringify(schema)})json"`;

export function directivesHeader(directives) {
  return `// The directives that the engine carries out itself. Handlers: directives.cpp.
// ${origin("directives")}
#pragma once

#include <string_view>

namespace lh {

enum class DirectiveType { ${enumeration(directives)} };

struct DirectiveRow {
  std::string_view name;
  std::string_view params;  // JSON Schema
};

// In the order of DirectiveType.
inline constexpr DirectiveRow kDirectives[] = {
${directives.map(({ name, schema }) => `    {"${name}",\n     ${json(schema)}},\n`).join("")}};

}  // namespace lh
`;
}

export function controlToolsHeader(tools) {
  const rows = tools.map(
    ({ name, needs = "", description, schema, ...row }) =>
      `    {ControlTool::k${pascal(name)}, "${name}", "${needs}", ${Object.keys(FLAGS)
        .map((flag) => row[flag] ?? false)
        .join(", ")},\n     ${JSON.stringify(description)},\n     ${json(schema)}},\n`,
  );
  return `// The engine's own tools, as models are told of them. Handlers: agent/controls/controls.cpp.
// ${origin("control_tools")}
#pragma once

#include <string_view>

namespace lh {

enum class ControlTool { ${enumeration(tools)} };

struct ControlToolRow {
  ControlTool tool;
  std::string_view name;
  std::string_view needs;  // "tiers" or "phases": the session must have some; or empty
${Object.entries(FLAGS)
  .map(([flag, what]) => `  bool ${flag};  // ${what}\n`)
  .join("")}  std::string_view description;
  std::string_view parameters;  // JSON Schema, in which "$tiers" and "$phases" stand for names that the session has
};

// In the order of ControlTool.
inline constexpr ControlToolRow kControlTools[] = {
${rows.join("")}};

// Null for the name of no control tool.
constexpr const ControlToolRow* control_tool_row(std::string_view name) {
  for (const ControlToolRow& row : kControlTools) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace lh
`;
}

export function toolsTypescript(tools, directives) {
  const documented = (rows, line) =>
    rows.map((row) => `${docs(`${upperFirst(row.what)}.`, 2)}  ${line(row)}\n`).join("");
  return `// Names of the engine's own tools and of directives. ${origin("control_tools", "directives")}

/** The tools that the engine itself implements. */
export const controlTools = [
${documented(tools, ({ name }) => `"${name}",`)}] as const;

/** The name of a tool that the engine itself implements. \`docs/concepts/delegation.md\` describes each. */
export type ControlTool = (typeof controlTools)[number];

/** The types of directives. Any other text is a custom directive for \`customDirective\` hooks. */
export type DirectiveType =
${documented(directives, ({ name }) => `| "${name}"`)}  // oxlint-disable-next-line typescript/ban-types -- keeps the list for editors, and takes any string
  | (string & {});
`;
}

const section = (head, rows) =>
  `<!-- prettier-ignore-start -->\n\n${markdownTable(head, rows)}\n<!-- prettier-ignore-end -->\n`;

/** Names of parameters; those that may be left out have a question mark. */
function names({ properties, required }) {
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}

const code = (list) => list.map((name) => `\`${name}\``).join(", ");

export function controlToolsSection(tools) {
  return section(
    ["tool", "arguments", "what it does"],
    tools.map(({ name, schema, what }) => [`\`${name}\``, code(names(schema)), what]),
  );
}

export function directivesSection(directives) {
  const shownNames = ({ shown, schema }) => {
    if (shown === undefined) return code(names(schema));
    return shown[0] === "any" ? "any" : code(shown);
  };
  return section(
    ["type", "params", "what it does"],
    directives.map((row) => [`\`${row.name}\``, shownNames(row), row.what]),
  );
}

// The types of each point for the engine's own code: a file of structs per group. Must not: describe what points.json
// does not say.
import { dereference } from "./table.mjs";
import { origin, upperFirst, wrap } from "../text.mjs";

const structOf = (point) =>
  upperFirst(point.kind === "info" || !/^(PRE|POST)_/.test(point.name) ? `on_${point.tsName}` : point.tsName).replace(
    /_(.)/,
    (_, letter) => letter.toUpperCase(),
  );
const KEYWORDS = new Set(["continue"]);
const method = (field) => (KEYWORDS.has(field) ? `${field}_` : field);

/** The class of context_field.h that writes the field. */
function fieldType(schema) {
  const types = [schema.type].flat();
  const or = types.includes("null") ? "OrNull" : "";
  const named = { string: `Text${or}`, integer: `Integer${or}`, number: "Number", boolean: "Flag" };
  const [only, ...more] = types.filter((type) => type !== "null");
  return `context::${more.length > 0 ? "Value" : (named[only] ?? "Value")}`;
}

/** The type of an answered field, as the JSON library holds it. */
const givenType = (schema) => ({ string: "std::string", boolean: "bool" })[schema.type] ?? "Json";

function contextOf(point, schemas) {
  const fields = Object.keys(point.context).filter((field) => !point.shown.includes(field));
  const optional = new Set(point.optional ?? []);
  const members = fields.map((field) => {
    const type = fieldType(schemas[field]);
    return optional.has(field) ? `    std::optional<${type}> ${field} = {};\n` : `    ${type} ${field};\n`;
  });
  const added = fields.map((field) => `      to.add(R"(,"${field}":)", ${field});\n`);
  return `  struct Context {\n${members.join("")}\n    void append(context::Members to) const {\n${added.join("")}    }\n  };\n`;
}

function givenOf(name, fields, completed, schemas) {
  if (fields.length === 0) return "";
  const getters = fields.map((field) => {
    const type = givenType(schemas[field]);
    return `    [[nodiscard]] Given<${type}> ${method(field)}() const { return get<${type}>("${field}"); }\n`;
  });
  const setters = completed.map(
    (field) => `    void set_${field}(Json value) const { set("${field}", std::move(value)); }\n`,
  );
  return `  struct ${name} : Given${name} {\n    using Given${name}::Given${name};\n${[...getters, ...setters].join("")}  };\n`;
}

function struct(point, defs) {
  const resolved = (fields) =>
    Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, dereference(schema, defs).schema]));
  const context = resolved(point.context);
  const kind = { pre: "kPre", post: "kPost", info: "kInfo" }[point.kind];
  const head = wrap(`${upperFirst(point.card.when)}; ${point.card.often}.`, 116).map((line) => `// ${line}\n`);
  return `${head.join("")}struct ${structOf(point)} {
  static constexpr Point kPoint = LH_HOOK_${point.name};
  static constexpr Kind kKind = Kind::${kind};
${contextOf(point, context)}${givenOf("Changes", point.mutable, point.completed, context)}${givenOf("Answers", Object.keys(point.answer), [], resolved(point.answer))}};
`;
}

/** The headers of the points by their names: one for the points about a tool call, and one for each group of the others. */
export function typedPoints(table) {
  const nameOf = (point) => (Object.hasOwn(point.context, "tool_name") ? "tools" : point.group);
  const names = new Set(table.points.map(nameOf));
  return [...names].map((name) => [name, header(table, name, (point) => nameOf(point) === name)]);
}

function header(table, name, belongs) {
  return `// The points of "${name}", with the types of their contexts and answers.
// ${origin("points")}
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "hooks/dispatch/context_field.h"
#include "hooks/dispatch/given.h"
#include "hooks/points/point.h"
#include "hooks/points/point_info.h"

namespace lh::points {

${table.points
  .filter(belongs)
  .map((point) => struct(point, table.defs))
  .join("\n")}
}  // namespace lh::points
`;
}

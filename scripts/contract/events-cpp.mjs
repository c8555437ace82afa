// The C++ side of events.json: structs of the events whose fields are plain values, and their JSON.
import { dereference } from "./points/table.mjs";
import { origin, pascal } from "./text.mjs";

// The event stream adds these to the events of a run.
const ADDED = ["run_id", "depth"];

/** Events of runs, but for those that C++ writes by hand: each with its type and its fields. */
function plainEvents({ events, defs }) {
  const names = events.unions.run_event.members.filter((name) => !events.$defs[name].tsOnly);
  return names
    .filter((name) => !events.$defs[name].byHand)
    .map((name) => {
      const { properties, required } = events.$defs[name];
      const fields = Object.entries(properties).filter(([key]) => key !== "type" && !ADDED.includes(key));
      return {
        struct: pascal(name),
        type: properties.type.const,
        fields: fields.map(([key, source]) => {
          const { schema } = dereference(source, defs);
          return { key, type: schema.type, optional: !required.includes(key) };
        }),
      };
    });
}

const TYPES = {
  string: "std::string",
  integer: "int64_t",
  number: "double",
  boolean: "bool",
  object: "Json",
  array: "Json",
};
const ZERO = { integer: " = 0", number: " = 0", boolean: " = false" };

function member({ key, type, optional }) {
  if (!Object.hasOwn(TYPES, type)) throw new Error(`events.json: ${key} has a type that C++ cannot write`);
  return optional ? `  std::optional<${TYPES[type]}> ${key};\n` : `  ${TYPES[type]} ${key}${ZERO[type] ?? ""};\n`;
}

export function plainEventsHeader(results) {
  const events = plainEvents(results);
  const structs = events.map(({ struct, fields }) => `struct ${struct} {\n${fields.map(member).join("")}};\n`);
  return `// The events whose fields are plain values.
// ${origin("events")}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/json/json.h"

namespace lh {

${structs.join("\n")}
template <typename... Others>
using WithPlainEvents = std::variant<Others..., ${events.map(({ struct }) => struct).join(", ")}>;

}  // namespace lh
`;
}

export function plainEventJson(results) {
  const functions = plainEvents(results).map(({ struct, type, fields }) => {
    const always = fields.filter(({ optional }) => !optional).map(({ key }) => `{"${key}", event.${key}}`);
    const sometimes = fields.filter(({ optional }) => optional);
    const object = `{{"type", "${type}"}, ${always.join(", ")}}`;
    const body =
      sometimes.length === 0
        ? `  return ${object};\n`
        : `  Json json = ${object};\n${sometimes.map(({ key }) => `  if (event.${key}) json["${key}"] = *event.${key};\n`).join("")}  return json;\n`;
    return `inline Json to_json(const ${struct}& event) {\n${body}}\n`;
  });
  return `// The events whose fields are plain values, as JSON.
// ${origin("events")}
#pragma once

#include "generation/plain_events.h"

namespace lh {

${functions.join("\n")}
}  // namespace lh
`;
}

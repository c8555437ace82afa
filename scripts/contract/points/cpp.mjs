// The C and C++ sides of the table: the constants with their cards in hooks.h, and the rows in point_rows.h.
// Must not: say anything that points.json does not say.

import { SCOPES } from "./table.mjs";
import { comment, origin } from "../text.mjs";

const typeOf = (schema) => [schema.type].flat().join(" or ");

function card(point) {
  const { card } = point;
  const optional = new Set(Object.keys(point.context).filter((key) => !point.required.includes(key)));
  const fields = Object.keys(point.context).map((key) => key + (optional.has(key) ? " (may be absent)" : ""));
  const paragraphs = [`Fires ${card.when}; ${card.often}. Kind: ${point.kind}.`, `Context: ${fields.join(", ")}.`];
  if (card.cancel) paragraphs.push(`Cancel: ${card.cancel}`);
  if (card.change) {
    const names = point.mutable.join(", ");
    const text = point.textField ? `plain text, the new ${point.textField}${extraMutable(point)}` : names;
    paragraphs.push(`Modify: ${text || "nothing of the context"}. ${card.change}`);
  }
  for (const [key, schema] of Object.entries(point.answer)) {
    paragraphs.push(`Answer \`${key}\` (${typeOf(schema)}): ${schema.description}`);
  }
  for (const key of ["thread", "block", "payload", "failure", "reentry"]) {
    if (card[key]) paragraphs.push(`${key[0].toUpperCase()}${key.slice(1)}: ${card[key]}`);
  }
  return comment(paragraphs);
}

function extraMutable(point) {
  const more = point.mutable.filter((key) => key !== point.textField);
  return more.length ? `; as JSON also ${more.join(", ")}` : "";
}

export function headerSection(table) {
  const last = table.points.at(-1);
  const rows = table.points.map(
    (point) => `${card(point)}\n  LH_HOOK_${point.name} = ${point.number}${point === last ? "" : ","}\n`,
  );
  return `  /* ${origin("points")} */\n\n${rows.join("\n")}`;
}

// Compilers need take no more than some 16,000 characters in one literal.
function literal(text) {
  const pieces = text.match(/[^]{1,8000}/g) ?? [""];
  return pieces.map((piece) => `R"json(${piece})json"`).join("\n    ");
}

/** The entry of a point in lh_hook_points_json, without its two schemas. */
function publicHead(point) {
  return {
    number: point.number,
    name: point.name,
    ts_name: point.tsName,
    kind: point.kind,
    group: point.group,
    text_field: point.textField,
    mutable: point.mutable,
    collected: point.collected,
    shown: point.shown,
    ends: point.ends,
    vetoes: point.vetoes,
    withdrawn: point.withdrawn,
    card: point.card,
  };
}

const quoted = (list) => list.map((text) => `"${text}"`).join(", ");

export function pointRows(table) {
  const points = table.points.map((point) => ({ ...point, fields: Object.keys(point.context) }));
  const bits = (scopes) => scopes.reduce((sum, scope) => sum + 2 ** SCOPES.indexOf(scope), 0);
  const kind = { pre: "kPre", post: "kPost", info: "kInfo" };
  const lists = {
    Fields: "fields",
    Mutable: "mutable",
    Collected: "collected",
    Shown: "shown",
    Ends: "ends",
    Vetoes: "vetoes",
    Withdrawn: "withdrawn",
  };
  const arrays = points.flatMap((point) =>
    Object.entries(lists)
      .filter(([, key]) => point[key].length)
      .map(([prefix, key]) => `constexpr std::string_view k${prefix}${point.number}[] = {${quoted(point[key])}};`),
  );
  const spans = (point) =>
    Object.entries(lists).map(([prefix, key]) => (point[key].length ? `k${prefix}${point.number}` : "{}"));
  const answers = points.map(
    (point) =>
      `constexpr std::string_view kAnswer${point.number} =\n    ${literal(JSON.stringify(point.answerSchema))};`,
  );
  const rows = points.map(
    (point) =>
      `    {${point.number}, "${point.name}", "${point.tsName}", Kind::${kind[point.kind]}, ${bits(point.scopes)}, ` +
      `"${point.textField ?? ""}", kAnswer${point.number}, ${spans(point).join(", ")}},`,
  );
  const described = points.map(
    (point) =>
      `    {${literal(JSON.stringify(publicHead(point)).slice(0, -1))},\n     ${literal(JSON.stringify(point.contextSchema))}},`,
  );
  return `// The rows of the point table, for point_table.cpp.
// ${origin("points")}
#pragma once

#include <iterator>

#include "hooks/points/point_info.h"

namespace lh::point_rows {

${arrays.join("\n")}

${answers.join("\n")}

constexpr PointInfo kPoints[] = {
${rows.join("\n")}
};

struct Description {
  std::string_view head;     // an object without its closing brace
  std::string_view context;  // the schema of the context
};

constexpr Description kDescriptions[] = {
${described.join("\n")}
};
static_assert(std::size(kDescriptions) == std::size(kPoints));

}  // namespace lh::point_rows
`;
}

// The tables as JSON Schema files, for other engines and other languages. Must not: say anything that no table says.
import { definition } from "./parameters/table.mjs";
import { wireDefinitions, wireSchema } from "./results.mjs";

const file = (name, title, defs) =>
  `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `${name}.schema.json`,
      title: `llama-hooks: ${title}`,
      $comment: "Generated from native/contract/ by scripts/generate-contract.mjs; do not edit.",
      $defs: defs,
    },
    null,
    1,
  )}\n`;

/** References of `schema` into definitions that another file holds. */
function elsewhere(schema, here, other) {
  if (Array.isArray(schema)) return schema.map((item) => elsewhere(item, here, other));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key !== "$ref") return [key, elsewhere(value, here, other)];
    return [key, Object.hasOwn(here, value.replace("#/$defs/", "")) ? value : `${other}.schema.json${value}`];
  });
  return Object.fromEntries(entries);
}

const object = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });

/** Contexts and answers of every point, by the point's name, and the shapes that they share. */
export function pointsSchema(table) {
  const defs = { ...table.$defs };
  for (const point of table.points) {
    const { name, context, required, answerFields } = point;
    defs[`${name}.context`] = object({ meta: { $ref: "#/$defs/hook_meta" }, ...context }, ["meta", ...required]);
    defs[`${name}.answer`] = object(answerFields, []);
  }
  return file("points", "what hooks are given and may answer", elsewhere(defs, defs, "parameters"));
}

export function parametersSchema(groups, shared) {
  const defs = { ...shared, ...Object.fromEntries(groups.map((group) => [group.def, definition(group)])) };
  const { properties, ...load } = defs.load_params;
  const path = { type: "string", description: "Path of a GGUF file." };
  defs.load_options = { ...load, properties: { path, ...properties }, required: ["path"] };
  const adapter = defs.adapter_params;
  defs.adapter_options = { ...adapter, properties: { path, ...adapter.properties }, required: ["path"] };
  delete defs.adapter_params;
  return file("parameters", "options and requests", elsewhere(defs, defs, "points"));
}

export function resultsSchema({ own }, { errors }) {
  const defs = wireDefinitions(own);
  defs.error_code = {
    description: "The names of errors.",
    enum: errors.filter(({ number }) => number !== null).map(({ name }) => name),
  };
  return file("results", "results, events and errors", elsewhere(wireSchema(defs), defs, "points"));
}

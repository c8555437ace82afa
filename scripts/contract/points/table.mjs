// Checks points.json and gives the other generators its points with schemas resolved.
// Must not: write anything, or know an output format.
import { camel, snake } from "../text.mjs";

const KEYWORDS = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "additionalProperties",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "pattern",
  "description",
]);
const POINT_KEYS = new Set([
  "number",
  "name",
  "kind",
  "group",
  "scopes",
  "textField",
  "card",
  "context",
  "optional",
  "mutable",
  "answer",
  "collected",
  "shown",
  "ends",
  "vetoes",
  "withdrawn",
  "completed",
]);
/** Whose hooks a point may be asked of, in the order of their bits. */
export const SCOPES = ["engine", "session", "run", "generation"];
const CARD_KEYS = new Set(["when", "often", "thread", "change", "cancel", "block", "payload", "failure", "reentry"]);

export const tsNameOf = (name) => camel(name.replace(/^ON_/, ""));

/** Resolves a "$ref" by one level and returns the definition's name and the schema. Keys beside the "$ref" win. */
export function dereference(schema, defs) {
  if (schema.$ref === undefined) return { schema };
  const { $ref, ...beside } = schema;
  const name = $ref.replace(/^#\/\$defs\//, "");
  if (!Object.hasOwn(defs, name)) throw new Error(`points.json: no definition for ${$ref}`);
  return { name, schema: { ...defs[name], ...beside } };
}

/** The schema without "$ref", and only with keywords that the engine's validator reads. */
export function inline(source, defs, where) {
  const { schema } = dereference(source, defs);
  for (const keyword of Object.keys(schema).filter((key) => schema[key] !== undefined)) {
    if (!KEYWORDS.has(keyword)) throw new Error(`points.json: ${where} uses "${keyword}"`);
  }
  const out = { ...schema };
  if (out.items) out.items = inline(out.items, defs, `${where}[]`);
  if (typeof out.additionalProperties === "object") {
    out.additionalProperties = inline(out.additionalProperties, defs, `${where}.*`);
  }
  if (out.properties) out.properties = inlineAll(out.properties, defs, where);
  return out;
}

function inlineAll(properties, defs, where) {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      const schema = inline(value, defs, `${where}.${key}`);
      check(schema.description, `${where}.${key} has no description`);
      check(snake(camel(key)) === key, `${where}.${key} does not survive camel case`);
      return [key, schema];
    }),
  );
}

function check(holds, message) {
  if (!holds) throw new Error(`points.json: ${message}`);
}

const scopesOf = (point, table) => point.scopes ?? table.groups[point.group].scopes;

function checkPoint(point, table) {
  const { name, kind, card } = point;
  for (const key of Object.keys(point)) check(POINT_KEYS.has(key), `${name} has the unknown key ${key}`);
  for (const key of Object.keys(card)) check(CARD_KEYS.has(key), `${name}'s card has the unknown key ${key}`);
  check(["pre", "post", "info"].includes(kind), `${name} is of the unknown kind ${kind}`);
  check(Object.hasOwn(table.groups, point.group), `${name} is of the unknown group ${point.group}`);
  for (const scope of scopesOf(point, table)) check(SCOPES.includes(scope), `${name} has the unknown scope ${scope}`);
  check(card.when && card.often, `${name}'s card does not say when and how often`);
  check((card.cancel !== undefined) === (kind === "pre"), `${name}: pre points, and only they, say what cancel does`);
  const answers = point.mutable.length + Object.keys(point.answer).length;
  check(kind !== "info" || answers === 0, `${name} is info and takes an answer`);
  check((card.change !== undefined) === answers > 0, `${name}: card.change goes with fields that can be answered`);
  for (const field of [...point.mutable, ...(point.optional ?? [])]) {
    check(Object.hasOwn(point.context, field), `${name}: ${field} is not in the context`);
  }
  for (const field of point.collected ?? [])
    check(point.answer[field]?.type === "array", `${name}: ${field} is no array`);
  for (const field of point.shown ?? [])
    check(
      Object.hasOwn(point.answer, field) && (point.optional ?? []).includes(field),
      `${name}: ${field} is shown, and so needs to be in the answer and, optional, in the context`,
    );
  for (const field of point.ends ?? [])
    check(point.answer[field]?.type === "boolean", `${name}: ${field} is no boolean of the answer`);
  for (const field of point.vetoes ?? [])
    check(
      ["string", "boolean"].includes((point.answer[field] ?? point.context[field])?.type),
      `${name}: ${field} is no text or boolean to answer`,
    );
  for (const field of point.withdrawn ?? [])
    check(
      point.textField !== null && (point.optional ?? []).includes(field),
      `${name}: ${field} is withdrawn with the text, and so needs a textField and to be optional`,
    );
  for (const field of point.completed ?? [])
    check(Object.hasOwn(point.context, field), `${name}: ${field} is completed, and so needs to be in the context`);
  for (const field of Object.keys(point.answer))
    check(!point.mutable.includes(field), `${name}: ${field} stands twice`);
  check(point.textField === null || point.mutable.includes(point.textField), `${name}: textField is not mutable`);
}

// The engine finds a point's row by arithmetic, so numbers must run on in both ranges.
function checkNumbers(table) {
  const numbers = table.points.map((point) => point.number);
  const ours = numbers.findIndex((number) => number >= 1000);
  numbers.forEach((number, i) => check(number === (i < ours ? i : 1000 + i - ours), `number ${number} is out of line`));
  const order = table.order.toSorted((a, b) => a - b);
  check(JSON.stringify(order) === JSON.stringify(numbers), "order does not name each point once");
}

const withoutDefaults = (schema) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [key, { ...property, default: undefined }]),
  ),
});

/**
 * The checked table; `parameters` are the definitions of those that contexts show. Each point gets tsName, required,
 * contextSchema and answerSchema.
 */
export function loadTable(table, parameters, optionNames) {
  // Contexts show every default filled in, so that their schemas need not say it.
  const shown = Object.entries(parameters).map(([name, schema]) => [name, withoutDefaults(schema)]);
  const defs = { ...table.$defs, ...Object.fromEntries(shown) };
  // Raw string literals of C++ carry them, and compilers differ on other characters.
  check(/^[ -~\s]*$/.test(JSON.stringify([table, defs])), "has a character that is not ASCII");
  checkNumbers(table);
  const points = table.points.map((point) => {
    checkPoint(point, table);
    const required = Object.keys(point.context).filter((key) => !(point.optional ?? []).includes(key));
    const context = { meta: { $ref: "#/$defs/hook_meta" }, ...point.context };
    const answer = Object.fromEntries(point.mutable.map((key) => [key, point.context[key]]));
    Object.assign(answer, point.answer);
    const object = (properties, where, extra) => ({
      type: "object",
      properties: inlineAll(properties, defs, `${point.name} ${where}`),
      ...extra,
      additionalProperties: false,
    });
    return {
      ...point,
      collected: point.collected ?? [],
      shown: point.shown ?? [],
      ends: point.ends ?? [],
      vetoes: point.vetoes ?? [],
      withdrawn: point.withdrawn ?? [],
      completed: point.completed ?? [],
      tsName: tsNameOf(point.name),
      scopes: scopesOf(point, table),
      required,
      answerFields: answer,
      contextSchema: object(context, "context", { required: ["meta", ...required] }),
      answerSchema: object(answer, "answer", {}),
    };
  });
  return { ...table, defs, points, optionNames };
}

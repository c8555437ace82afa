// The TypeScript side of the table: event and answer types, POINTS, and the shapes that key conversion follows.
// Must not: say anything that points.json does not say.
import { camel, dereference, pascal } from "./points.mjs";

const WIDTH = 100;
const SCALARS = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

const upperFirst = (text) => text[0].toUpperCase() + text.slice(1);

/** Field names as the text of an array. */
const list = (names) => `[${names.map((name) => JSON.stringify(camel(name))).join(", ")}]`;

/** Definitions that deserve a name: objects with listed properties, and enumerations. */
const isNamed = (schema) => schema.properties !== undefined || schema.enum !== undefined;

/** All C names of properties, so that descriptions can speak of the TypeScript ones. */
function snakeNames(table) {
  const names = new Set();
  const visit = (schema) => {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (key.includes("_")) names.add(key);
      visit(value);
    }
    if (schema.items) visit(schema.items);
  };
  for (const point of table.points) [point.contextSchema, point.answerSchema].forEach(visit);
  return names;
}

function docs(text, indent) {
  const pad = " ".repeat(indent);
  const one = `${pad}/** ${text} */\n`;
  if (one.length <= WIDTH + 1) return one;
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${pad} * ${lines.at(-1)} ${word}`.length > WIDTH) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}\n`).join("")}${pad} */\n`;
}

class Writer {
  constructor(table) {
    this.table = table;
    this.snake = snakeNames(table);
  }

  words(text) {
    return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (this.snake.has(word) ? camel(word) : word));
  }

  type(source, indent) {
    const { name, schema } = dereference(source, this.table.defs);
    if (name && isNamed(schema)) return pascal(name);
    return [schema.type]
      .flat()
      .map((type) => this.typeOf(type, schema, indent))
      .join(" | ");
  }

  typeOf(type, schema, indent) {
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (type === "array") {
      const item = this.type(schema.items, indent);
      return /[|{]/.test(item) ? `ReadonlyArray<${item}>` : `readonly ${item}[]`;
    }
    if (type !== "object") return SCALARS[type];
    if (schema.properties) return this.object(schema.properties, schema.required ?? [], indent);
    const values = schema.additionalProperties;
    return `Readonly<Record<string, ${values ? this.type(values, indent) : "unknown"}>>`;
  }

  object(properties, required, indent) {
    const pad = " ".repeat(indent + 2);
    const members = Object.entries(properties).map(([key, source]) => {
      const { schema } = dereference(source, this.table.defs);
      const optional = !required.includes(key);
      const type = this.type(source, indent + 2);
      const doc = docs(this.words(schema.description), indent + 2);
      return `${doc}${pad}readonly ${camel(key)}${optional ? "?" : ""}: ${type}${optional ? " | undefined" : ""};\n`;
    });
    return `{\n${members.join("")}${" ".repeat(indent)}}`;
  }

  definitions() {
    return Object.entries(this.table.defs)
      .filter(([, schema]) => isNamed(schema))
      .map(([name, schema]) => {
        const doc = docs(this.words(schema.description), 0);
        if (schema.properties) {
          return `${doc}export interface ${pascal(name)} ${this.object(schema.properties, schema.required ?? [], 0)}\n`;
        }
        return `${doc}export type ${pascal(name)} =\n  | ${schema.enum.map((value) => JSON.stringify(value)).join("\n  | ")};\n`;
      })
      .join("\n");
  }

  events(point) {
    const { card, tsName } = point;
    const fired = point.fires ? "" : " Not fired by this version.";
    const cancel = card.cancel ? ` Cancel: ${card.cancel}` : "";
    const when = docs(`Fires ${card.when}; ${card.often}. Kind: ${point.kind}.${cancel}${fired}`, 0);
    const name = upperFirst(tsName);
    const event = `${when}export interface ${name}Event extends HookEvent ${this.object(point.context, point.required, 0)}\n`;
    if (Object.keys(point.answerFields).length === 0) return event;
    const change = docs(this.words(card.change), 0);
    return `${event}\n${change}export interface ${name}Answer ${this.object(point.answerFields, [], 0)}\n`;
  }

  /** Where a schema lists properties, as source text; "LEAF" where nothing inside may be touched. */
  shape(source) {
    const { name, schema } = dereference(source, this.table.defs);
    if (name && schema.properties) return `${name.toUpperCase()}_SHAPE`;
    if (schema.properties) return this.objectShape(schema.properties);
    if (!schema.items) return "LEAF";
    const item = this.shape(schema.items);
    return item === "LEAF" ? "LEAF" : `{ i: ${item} }`;
  }

  objectShape(properties) {
    const members = Object.entries(properties).map(([key, source]) => `${key}: ${this.shape(source)}`);
    return members.length ? `{ p: { ${members.join(", ")} } }` : "LEAF";
  }

  shapes() {
    return Object.entries(this.table.defs)
      .filter(([, schema]) => schema.properties)
      .map(([name, schema]) => {
        return `const ${name.toUpperCase()}_SHAPE: Shape = ${this.objectShape(schema.properties)};\n`;
      })
      .join("");
  }

  row(point) {
    const context = { meta: { $ref: "#/$defs/hook_meta" }, ...point.context };
    const when = upperFirst(this.words(point.card.when));
    return `  ${point.tsName}: {
    number: ${point.number},
    name: ${JSON.stringify(point.name)},
    tsName: ${JSON.stringify(point.tsName)},
    kind: ${JSON.stringify(point.kind)},
    group: ${JSON.stringify(point.group)},
    fires: ${point.fires},
    when: ${JSON.stringify(when)},
    textField: ${JSON.stringify(point.textField && camel(point.textField))},
    fields: ${list(Object.keys(point.context))},
    mutable: ${list(point.mutable)},
    answerOnly: ${list(Object.keys(point.answer))},
    context: ${this.objectShape(context)},
    answer: ${this.objectShape(point.answerFields)},
  },\n`;
  }
}

export function typescript(table) {
  const writer = new Writer(table);
  const { points } = table;
  const answers = points.map((point) => {
    const type = Object.keys(point.answerFields).length ? `${upperFirst(point.tsName)}Answer` : "undefined";
    return `  ${point.tsName}: ${type};\n`;
  });
  const groups = Object.keys(table.groups).map((group) => JSON.stringify(group));
  return `// Hook points as TypeScript sees them: one event and one answer type a point, and the table POINTS.
// Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit.

${writer.definitions()}
/** What every event has. */
export interface HookEvent {
  readonly meta: HookMeta;
}

${points.map((point) => writer.events(point)).join("\n")}
/** What a handler of each point is given. */
export interface HookEvents {
${points.map((point) => `  ${point.tsName}: ${upperFirst(point.tsName)}Event;\n`).join("")}}

/** What a handler of each point may answer; undefined where there is nothing to change. */
export interface HookAnswers {
${answers.join("")}}

/**
 * Where keys change between C's snake_case and TypeScript's camelCase: \`p\` lists the properties of an
 * object under their C names, \`i\` is the shape of an array's items. A value whose shape has neither
 * (arguments of tools, JSON Schemas, texts) passes untouched, with everything inside it.
 */
export interface Shape {
  readonly p?: Readonly<Record<string, Shape>>;
  readonly i?: Shape;
}

/** One row of POINTS. Field names are the TypeScript ones. */
export interface PointInfo {
  /** The number in C; never changes. */
  readonly number: number;
  /** The name in C, without the prefix LH_HOOK_. */
  readonly name: string;
  readonly tsName: string;
  /** pre: may change and cancel; post: may change; info: observes. */
  readonly kind: "pre" | "post" | "info";
  /** Where in the engine it fires. */
  readonly group: ${groups.join(" | ")};
  /** Whether this version fires it. */
  readonly fires: boolean;
  readonly when: string;
  /** The field that a C hook's plain text answer replaces; null: C hooks answer with JSON. */
  readonly textField: string | null;
  /** The fields of the event, beside meta. */
  readonly fields: readonly string[];
  /** The fields of the event that an answer may replace. */
  readonly mutable: readonly string[];
  /** The fields that only an answer has. */
  readonly answerOnly: readonly string[];
  readonly context: Shape;
  readonly answer: Shape;
}

const LEAF: Shape = {};
${writer.shapes()}
/** The points by their TypeScript names, in ascending order of number. */
export const POINTS = {
${points.map((point) => writer.row(point)).join("")}} as const satisfies Readonly<Record<keyof HookEvents, PointInfo>>;

export type PointName = keyof typeof POINTS;

type PointOfKind<Kind extends PointInfo["kind"]> = {
  [Name in PointName]: (typeof POINTS)[Name]["kind"] extends Kind ? Name : never;
}[PointName];

/** Points whose handlers may change and cancel. */
export type PrePoint = PointOfKind<"pre">;
/** Points whose handlers may change, not cancel. */
export type PostPoint = PointOfKind<"post">;
/** Points whose handlers observe. */
export type InfoPoint = PointOfKind<"info">;
`;
}

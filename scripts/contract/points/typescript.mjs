// The TypeScript side of the table: event and answer types, POINTS, and the shapes that key conversion follows.
// Must not: say anything that points.json does not say.
import { dereference } from "./table.mjs";
import { isNamed, TypeWriter } from "../types.mjs";
import { camel, docs, origin, upperFirst } from "../text.mjs";

/** Field names as the text of an array. */
const list = (names) => `[${names.map((name) => JSON.stringify(camel(name))).join(", ")}]`;

/** The answers that a handler of the point may give, in words. */
function answersOf({ kind, answerFields }) {
  const fields = Object.keys(answerFields).map((name) => `\`${camel(name)}\``);
  const answers = [...fields, ...(kind === "pre" ? ["`cancel()`"] : [])];
  return `Kind ${kind}: ${answers.join(", ") || "nothing"}.`;
}

export const pointNamesOf = ({ points }) => new Set(points.map(({ name }) => name));
export const schemasOf = ({ points }) => points.flatMap((point) => [point.contextSchema, point.answerSchema]);

class Writer extends TypeWriter {
  constructor(table) {
    super(table.defs, schemasOf(table), pointNamesOf(table), table.optionNames);
    this.table = table;
  }

  definitions() {
    return Object.entries(this.table.defs)
      .filter(([, schema]) => isNamed(schema))
      .map(([name, schema]) => this.declaration(name, schema))
      .join("\n");
  }

  events(point) {
    const { card, tsName } = point;
    const cancel = card.cancel ? ` Cancel: ${card.cancel}` : "";
    const when = docs(this.words(`Fires ${card.when}; ${card.often}. Kind: ${point.kind}.${cancel}`), 0);
    const name = upperFirst(tsName);
    const event = `${when}export interface ${name}Event extends HookEvent ${this.object(point.context, point.required, 0)}\n`;
    if (Object.keys(point.answerFields).length === 0) return event;
    const change = docs(this.words(card.change), 0);
    return `${event}\n${change}export interface ${name}Answer ${this.object(point.answerFields, [], 0)}\n`;
  }

  /** A row of HookEvents. */
  eventOf({ card, tsName }) {
    return `${docs(`${upperFirst(this.words(card.when))}.`, 2)}  ${tsName}: ${upperFirst(tsName)}Event;\n`;
  }

  /** The Shape of a schema as source text; "LEAF" if no key inside it is converted. */
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
    when: ${JSON.stringify(when)},
    textField: ${JSON.stringify(point.textField && camel(point.textField))},
    fields: ${list(Object.keys(point.context))},
    mutable: ${list(point.mutable)},
    answerOnly: ${list(Object.keys(point.answer))},
    collected: ${list(point.collected)},
    vetoes: ${list(point.vetoes.map(camel))},
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
    return `${docs(answersOf(point), 2)}  ${point.tsName}: ${type};\n`;
  });
  const groups = Object.keys(table.groups).map((group) => JSON.stringify(group));
  return `// Hook points as TypeScript sees them: one event and one answer type a point, and the table POINTS.
// ${origin("points")}

${writer.definitions()}
/** The base of every event. */
export interface HookEvent {
  /** The point that fired, with the time and the run. */
  readonly meta: HookMeta;
}

${points.map((point) => writer.events(point)).join("\n")}
/** The event that a handler of each point gets. */
export interface HookEvents {
${points.map((point) => writer.eventOf(point)).join("")}}

/** The answer that a handler of each point may give; undefined if it can change nothing. */
export interface HookAnswers {
${answers.join("")}}

/**
 * The keys that change between C's snake_case and TypeScript's camelCase: \`p\` lists the properties of an
 * object under their C names, \`i\` is the shape of an array's items. A value whose shape has neither
 * (arguments of tools, JSON Schemas, texts) passes untouched, with everything inside it.
 */
export interface Shape {
  /** For an object: the shape of each property, by its C name. */
  readonly p?: Readonly<Record<string, Shape>>;
  /** For an array: the shape of its items. */
  readonly i?: Shape;
}

/** One row of POINTS. Field names are the TypeScript ones. */
export interface PointInfo {
  /** The number in C; never changes. */
  readonly number: number;
  /** The name in C, without the prefix LH_HOOK_. */
  readonly name: string;
  /** The name in TypeScript. */
  readonly tsName: string;
  /** pre: may change and cancel; post: may change; info: observes. */
  readonly kind: "pre" | "post" | "info";
  /** The part of the engine that fires it. */
  readonly group: ${groups.join(" | ")};
  /** The occasion on which it fires. */
  readonly when: string;
  /** The field that a C hook's plain text answer replaces; null: C hooks answer with JSON. */
  readonly textField: string | null;
  /** The fields of the event, beside meta. */
  readonly fields: readonly string[];
  /** The fields of the event that an answer may replace. */
  readonly mutable: readonly string[];
  /** The fields that only an answer has. */
  readonly answerOnly: readonly string[];
  /** The fields of an answer that are joined with the same fields of other hooks' answers. */
  readonly collected: readonly string[];
  /** The fields of an answer that refuse something: they count even if the rest of the answer is wrong. */
  readonly vetoes: readonly string[];
  /** The shape of the event. */
  readonly context: Shape;
  /** The shape of an answer. */
  readonly answer: Shape;
}

const LEAF: Shape = {};
${writer.shapes()}
/** The points by their TypeScript names, in ascending order of number. */
export const POINTS = {
${points.map((point) => writer.row(point)).join("")}} as const satisfies Readonly<Record<keyof HookEvents, PointInfo>>;

/** The name of a point, as \`engine.hooks.on()\` takes it and events give it. */
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

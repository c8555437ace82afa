// JSON Schemas of the tables as TypeScript types, with keys in camel case. Must not: know a table by name.
import { dereference, tsNameOf } from "./points/table.mjs";
import { camel, docs, pascal, wordsOf } from "./text.mjs";

const SCALARS = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

/** Definitions that deserve a name: objects with listed properties, and enumerations. */
export const isNamed = (schema) =>
  schema.properties !== undefined || schema.enum !== undefined || typeof schema.additionalProperties === "object";

/** All C names of properties, so that descriptions can speak of the TypeScript ones. */
export function snakeNames(schemas, options = []) {
  const names = new Set(options);
  const visit = (schema) => {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (key.includes("_")) names.add(key);
      visit(value);
    }
    if (schema.items) visit(schema.items);
  };
  schemas.forEach(visit);
  return names;
}

/** A text of a table in TypeScript's names; `snake`: the fields that it may name, `points`: the points. */
export function inTypescript(text, snake, points) {
  return text
    .replace(/(?<!")\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (snake.has(word) ? camel(word) : word))
    .replace(/`?\b([A-Z]+(?:_[A-Z]+)+)\b`?/g, (word, name) => (points.has(name) ? `\`${tsNameOf(name)}\`` : word));
}

export class TypeWriter {
  /** `schemas`, `options`: where names of fields come from; `points`: names that TypeScript knows otherwise. */
  constructor(defs, schemas, points, options) {
    this.defs = defs;
    this.snake = snakeNames(schemas, options);
    this.points = points;
    this.mayBeUndefined = " | undefined";
  }

  words(text) {
    return inTypescript(text, this.snake, this.points);
  }

  type(source, indent) {
    if (source.ts) return source.ts;
    const { name, schema } = dereference(source, this.defs);
    if (name && isNamed(schema)) return pascal(name);
    return this.union(schema, indent);
  }

  union(schema, indent) {
    if (schema.type === undefined) return "unknown";
    return [schema.type]
      .flat()
      .map((type) => this.typeOf(type, schema, indent))
      .join(" | ");
  }

  typeOf(type, schema, indent) {
    if (schema.const) return JSON.stringify(camel(schema.const));
    if (type === "string" && schema.pattern) return wordsOf(schema.pattern);
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
    const members = Object.entries(properties).filter(([, source]) => source.ts !== false);
    const lines = members.map(([key, source]) => {
      const { schema } = dereference(source, this.defs);
      const optional = source.tsOptional === true || !required.includes(key);
      const type = `${this.type(source, indent + 2)}${optional ? this.mayBeUndefined : ""}`;
      const doc = docs(this.words(schema.description), indent + 2);
      return `${doc}${pad}readonly ${camel(key)}${optional ? "?" : ""}: ${type};\n`;
    });
    return `{\n${lines.join("")}${" ".repeat(indent)}}`;
  }

  /** A definition as an exported type of its name. */
  declaration(name, schema) {
    const doc = docs(this.words(schema.description), 0);
    if (Array.isArray(schema.type) || typeof schema.additionalProperties === "object")
      return `${doc}export type ${pascal(name)} = ${this.union(schema, 0)};\n`;
    if (schema.properties) {
      return `${doc}export interface ${pascal(name)} ${this.object(schema.properties, schema.required ?? [], 0)}\n`;
    }
    return `${doc}export type ${pascal(name)} =\n  | ${schema.enum.map((value) => JSON.stringify(value)).join("\n  | ")};\n`;
  }
}

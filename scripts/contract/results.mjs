// The tables of results and events: read, checked, and written as TypeScript types, the header's lists and a page.
// Must not: say anything that results.json and events.json do not say.
import { dereference } from "./points/table.mjs";
import { camel, docs, markdownTable, origin, pascal, upperFirst, wrap, wordsOf } from "./text.mjs";
import { inTypescript, snakeNames, TypeWriter } from "./types.mjs";

const HINTS = ["ts", "tsOnly", "tsOptional", "byHand"];

/** Results and events with every definition that they may refer to; `points` is the table of points. */
export function checkResults(results, events, points) {
  const own = { ...results.$defs, ...events.$defs };
  const defs = { ...points.defs, ...own };
  for (const [name, schema] of Object.entries(own)) {
    for (const [key, property] of Object.entries(schema.properties)) {
      if (!property.description) throw new Error(`${name}.${key} has no description`);
      if (!property.tsOnly) dereference(property.items ?? property, defs);
    }
    for (const key of schema.required) {
      if (!Object.hasOwn(schema.properties, key)) throw new Error(`${name} requires ${key}, which it does not have`);
    }
  }
  return {
    results,
    events,
    own,
    defs,
    points: new Set(points.points.map(({ name }) => name)),
    optionNames: points.optionNames,
  };
}

/** A definition as it is in JSON: without what is TypeScript's alone, and null where TypeScript leaves out. */
export function wireSchema(schema) {
  if (Array.isArray(schema)) return schema.map(wireSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  if (schema.tsOptional) {
    const { $ref, description } = schema;
    return { anyOf: [{ $ref }, { type: "null" }], description };
  }
  const kept = Object.entries(schema).filter(([key, value]) => !HINTS.includes(key) && value?.tsOnly !== true);
  return Object.fromEntries(kept.map(([key, value]) => [key, wireSchema(value)]));
}

/** The definitions that JSON has. */
export const wireDefinitions = (defs) =>
  Object.fromEntries(
    Object.entries(defs)
      .filter(([, schema]) => !schema.tsOnly)
      .map(([name, schema]) => [name, wireSchema(schema)]),
  );

export function resultsTypescript({ own, defs, points, optionNames, events }) {
  const writer = new TypeWriter(defs, Object.values(own), points, optionNames);
  writer.mayBeUndefined = "";
  const types = Object.entries(own)
    .filter(([, schema]) => schema.ts !== false)
    .map(([name, schema]) => writer.declaration(name, schema));
  const unions = Object.entries(events.unions).map(([name, { description, members, with: keys }]) => {
    const isEnd = (member) => keys !== undefined && own[member].tsOnly;
    const list = (names) => names.map((member) => `  | ${pascal(member)}`).join("\n");
    const others = list(members.filter((member) => !isEnd(member)));
    const head = `${docs(description, 0)}export type ${pascal(name)} =`;
    if (keys === undefined) return `${head}\n${others};\n`;
    // These fields are optional elsewhere, but each member of this union has them.
    const all = keys
      .map((key) => {
        const doc = docs(writer.words(own.token_event.properties[key].description), 4);
        return `${doc}    readonly ${camel(key)}: NonNullable<TokenEvent["${camel(key)}"]>;\n`;
      })
      .join("");
    return `${head}\n  | ((\n${others}\n) & {\n${all}  })\n${list(members.filter(isEnd))};\n`;
  });
  const text = [...types, ...unions].join("\n");
  const code = text.replace(/\/\*\*[^]*?\*\//g, "");
  const used = Object.keys(defs).filter((name) => !own[name] && new RegExp(`\\b${pascal(name)}\\b`).test(code));
  const names = ["PointName", ...used.map(pascal)].toSorted();
  return `// The engine's results, and the events that it reports while work goes on.
// ${origin("results", "events")}
import type { ErrorCode } from "./errors.js";
import type { ${names.join(", ")} } from "./points.js";

${text}`;
}

const words = (name) => name.replaceAll("_", " ");

/** A type in a few words; `named` writes the name of a shape. */
function shortType(source, defs, named = words) {
  const { name, schema } = dereference(source, defs);
  const orNull = source.tsOptional || [schema.type].flat().includes("null") ? " or null" : "";
  if (schema.const) return JSON.stringify(schema.const);
  if (name && schema.properties) return `${named(name)}${orNull}`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ") + orNull;
  if ([schema.type].flat()[0] === "array") return `array of ${shortType(schema.items, defs, named)}${orNull}`;
  if (schema.properties) return `{${Object.keys(schema.properties).join(", ")}}${orNull}`;
  return [schema.type].flat()[0] + orNull;
}

/** The names of other definitions that JSON of these refers to. */
function referredTo(schemas, defs) {
  const found = new Set();
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    const name = value.$ref?.replace("#/$defs/", "");
    if (name && !found.has(name) && defs[name]?.properties) {
      found.add(name);
      visit(defs[name]);
    }
    Object.values(value).forEach(visit);
  };
  visit(schemas);
  return [...found];
}

// The keys that the comment of engine.h describes once for all events of a kind.
const LIFECYCLE_KEYS = ["type", "event", "time_us", "clock_us"];

const isNamedEnum = (schema) => schema?.enum?.length > 4;
const listed = (values) => values.map((value) => JSON.stringify(value)).join(" | ");

/** A type as engine.h shows it; undefined for a plain one, which needs no type there. */
function headerType(source, defs) {
  const { name, schema } = dereference(source, defs);
  const orNull = source.tsOptional || [schema.type].flat().includes("null") ? " | null" : "";
  if (schema.type === undefined && !schema.const && !schema.enum) return "any value";
  if (schema.const) return JSON.stringify(schema.const);
  if (name && (schema.properties || isNamedEnum(schema))) return words(name) + orNull;
  if (schema.enum) return listed(schema.enum) + orNull;
  if (Array.isArray(schema.type) && schema.type.includes("array"))
    return `${schema.items.type}[] | ${schema.type.find((type) => type !== "array")}`;
  if (schema.type === "array") {
    const item = headerType(schema.items, defs) ?? schema.items.type;
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return `{${Object.keys(schema.properties).join(", ")}}${orNull}`;
  const [type] = [schema.type].flat();
  return ["string", "integer", "number", "boolean"].includes(type) && !orNull ? undefined : type + orNull;
}

/** The lists of engine.h, inside one comment. `requests`: the parts of requests that are JSON of other shapes. */
export function resultsComment({ results, events, own, defs }, requests) {
  const lifecycle = new Set(events.unions.lifecycle_event.members);
  const describe = (name) => {
    const { description, properties, required = [], enum: values, pattern } = defs[name];
    const isEvent = name.endsWith("_event");
    const known = lifecycle.has(name) ? LIFECYCLE_KEYS : isEvent ? ["type"] : [];
    const fields = Object.entries(properties ?? {})
      .filter(([key, property]) => !property.tsOnly && !known.includes(key))
      .map(([key, property]) => {
        const type = headerType(property, defs);
        const field = `${key}${required.includes(key) ? "" : "?"}`;
        return type === undefined || type === words(key) ? field : `${field}: ${type}`;
      });
    const object = `{${fields.join(", ")}}`;
    const shape = values ? listed(values) : pattern ? `${wordsOf(pattern)} | ${object}` : object;
    return wrap(`${words(name)}: ${isEvent ? `${description} ` : ""}${shape}`, 115, "    ");
  };
  const wire = (all) => Object.keys(all).filter((name) => !all[name].tsOnly);
  const wired = wireDefinitions(own);
  const shared = referredTo([requests, wired], defs).filter((name) => !own[name] && name !== "generate_params");
  const enums = Object.keys(defs).filter(
    (name) => isNamedEnum(defs[name]) && JSON.stringify(wired).includes(`"#/$defs/${name}"`),
  );
  const part = (title, names) => ["", ...wrap(title, 115), ...names.flatMap(describe)];
  const lines = [
    ...part("Results:", wire(results.$defs)),
    ...part(
      'Events: `type` is the name in this list without "event", with _ for a blank ("tool_call"). A lifecycle event has ' +
        'the type "lifecycle"; `event` is its name ("model_loaded"), `time_us` is in microseconds since the Unix epoch, ' +
        "`clock_us` by the clock of decisions, and `span` connects the event of a beginning with that of its end.",
      wire(events.$defs).filter((name) => !lifecycle.has(name)),
    ),
    ...part(
      "Lifecycle events:",
      wire(events.$defs).filter((name) => lifecycle.has(name)),
    ),
    ...part("Shapes of both, and of requests:", [...enums, ...shared]),
  ];
  return `/* ${origin("results", "events")}
 *
 * Results and events are JSON objects. "key?" may be absent. A key without a type is a string, a number or a boolean,
 * or has the type of its own name. docs/reference/results.md explains each key.
${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")} */
`;
}

export function resultsPage({ own, defs, points, optionNames, results, events }) {
  const snakes = snakeNames([...Object.values(own), ...Object.values(defs)], optionNames);
  const described = (text) => inTypescript(text, snakes, points);
  const link = (name) => `[${words(name)}](${own[name] ? "" : "shapes.md"}#${name.replaceAll("_", "-")})`;
  // The one kind of value that has another name in TypeScript.
  const pageType = (property) => {
    const value = property.const;
    return value === undefined || camel(value) === value
      ? shortType(property, defs, link)
      : `${JSON.stringify(camel(value))}, in C ${JSON.stringify(value)}`;
  };
  const section = ([name, schema]) => {
    const rows = Object.entries(schema.properties).map(([key, property]) => {
      const c = property.tsOnly || schema.tsOnly ? "" : `\`${key}\``;
      const ts = property.ts === false || schema.ts === false ? "" : `\`${camel(key)}\``;
      const absent = property.tsOptional || !schema.required.includes(key) ? "may be absent" : "";
      const type = property.tsOnly ? "any" : pageType(property);
      return [
        ts,
        c,
        type,
        property.tsOnly ? "may be absent" : absent,
        described(dereference(property, defs).schema.description),
      ];
    });
    const calls = Object.entries(results.calls).filter(([, result]) => result === name);
    const from = calls.length > 0 ? ` Given by ${calls.map(([call]) => `\`${call}\``).join(", ")}.` : "";
    return `## ${upperFirst(words(name))}\n\n${described(schema.description)}${from}\n\n${markdownTable(["TypeScript", "C", "type", "", ""], rows)}`;
  };
  return `# Results and events

<!-- ${origin("results", "events")} -->
<!-- prettier-ignore-start -->

This page lists everything that the engine returns, and every event that it sends while it works. A row without a name in one
of the two columns exists only in the other language. If a property may be absent in TypeScript, C may have null instead.
Texts use the names of TypeScript. The same tables as JSON Schema: [schemas/results.schema.json](../../schemas/results.schema.json).

${Object.entries(results.$defs).map(section).join("\n")}
# Events

${Object.values(events.unions)
  .map(({ description, members }) => `${described(description)} ${members.map(link).join(", ")}.\n`)
  .join("\n")}
${Object.entries(events.$defs).map(section).join("\n")}
<!-- prettier-ignore-end -->
`;
}

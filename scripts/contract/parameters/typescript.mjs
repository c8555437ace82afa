// The TypeScript side of the table of parameters: option types and the tables that their checks go by.
// Must not: say anything that parameters.json does not say.
import { defaultText, LISTS, VALUES } from "./table.mjs";
import { docs, origin, pascal } from "../text.mjs";
import { inTypescript } from "../types.mjs";

const SCALARS = { integer: "number", number: "number", boolean: "boolean", string: "string", name: "string" };

function typeText({ type, values, auto, ts }) {
  if (ts) return ts;
  if (auto) return `number | "auto"`;
  if (type === "numbers") return "readonly number[]";
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "strings") return "readonly string[]";
  if (type === "integers_by_name") return "Readonly<Record<string, number>>";
  if (type === "schema") return "Schema";
  if (type === "object") return "Readonly<Record<string, unknown>>";
  if (VALUES.includes(type)) return pascal(type);
  return LISTS.includes(type) ? `readonly ${pascal(type)}[]` : SCALARS[type];
}

/** The facts by which an option's value is checked. */
function check({ type, min, max, values, auto }) {
  const facts = { type };
  if (auto) facts.auto = true;
  if (type === "integer" && values) Object.assign(facts, { min: values[0], max: values.at(-1) });
  else if (values) facts.values = values;
  if (min !== undefined) facts.min = min;
  if (max !== undefined) facts.max = max;
  const members = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `{ ${members.join(", ")} }`;
}

/** The C names of options that have another name in TypeScript. */
export const snakesOf = (groups) =>
  new Set(groups.flatMap(({ rows }) => rows.map(({ name }) => name)).filter((name) => name.includes("_")));

export function parametersTypescript(groups, pointNames) {
  const words = (text) => inTypescript(text, snakesOf(groups), pointNames);
  const parts = groups.map((group) => {
    const rows = group.rows.filter((row) => row.type !== undefined && row.only !== "c");
    const generic = rows.some(({ type }) => type === "schema") ? "<Schema>" : "";
    const members = rows.map((row) => {
      const standard = defaultText(row);
      const doc = docs(words(`${row.what}${standard === undefined ? "" : ` [${standard}]`}.`), 2);
      return `${doc}  readonly ${row.tsName}?: ${typeText(row)};\n`;
    });
    const checks = rows.map((row) => `  ${row.tsName}: ${check(row)},\n`);
    return `${docs(`${words(group.what)} Defaults are in brackets.`, 0)}export interface ${group.ts}${generic} {
${members.join("")}}

export const ${group.name}Checks = {
${checks.join("")}} as const satisfies Record<keyof ${group.ts}${generic && "<unknown>"}, ParameterCheck>;
`;
  });
  return `// The types of the options that callers may set, and the facts by which each value is checked.
// ${origin("parameters")}
import type { ${[...LISTS, ...VALUES].map(pascal).toSorted().join(", ")} } from "./points.js";

/** The valid values of an option. */
export interface ParameterCheck {
  readonly type: string;
  /** For a number: the least and the greatest valid value. */
  readonly min?: number;
  readonly max?: number;
  /** The word "auto" is taken, too. */
  readonly auto?: boolean;
  /** For an enumeration: its values. */
  readonly values?: readonly string[];
}

${parts.join("\n")}`;
}

// docs/reference/points.md: the table of points and a section for each point; docs/reference/shapes.md: the shapes of
// their fields. Must not: say anything that points.json does not say.
import { dereference } from "./table.mjs";
import { pointNamesOf, schemasOf } from "./typescript.mjs";
import { camel, origin, upperFirst } from "../text.mjs";
import { inTypescript, snakeNames } from "../types.mjs";

const isShape = (schema) => schema.properties !== undefined || schema.enum?.length > 4;

// As the anchor of a heading is made: words joined by hyphens.
const anchor = (name) => name.toLowerCase().replace(/ /g, "-");
const shapeLink = (name) => `[${name.replace(/_/g, " ")}](shapes.md#${anchor(name.replace(/_/g, " "))})`;

function typeText(source, defs) {
  const { name, schema } = dereference(source, defs);
  if (name && isShape(schema)) return shapeLink(name);
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  return [schema.type]
    .flat()
    .map((type) => {
      if (type === "array") return `${typeText(schema.items, defs)}[]`;
      if (type === "object" && schema.additionalProperties?.type)
        return `object of ${schema.additionalProperties.type}s`;
      return type;
    })
    .join(" or ");
}

function range({ minimum, maximum }) {
  if (maximum !== undefined) return ` From ${minimum} to ${maximum}.`;
  return minimum !== undefined && minimum !== 0 ? ` From ${minimum} up.` : "";
}

const head = "| TypeScript | C | type | | |\n|---|---|---|---|---|\n";

function row(key, source, defs, notes) {
  const { schema } = dereference(source, defs);
  const nested = schema.properties && !source.$ref ? ` Fields: ${nestedFields(schema, defs)}.` : "";
  const what = `${schema.description}${range(schema)}${nested}`;
  return `| \`${camel(key)}\` | \`${key}\` | ${typeText(source, defs)} | ${notes} | ${what} |\n`;
}

/** A page in TypeScript's names, but for those that stand in columns of C. */
function inWords(page, table) {
  const points = pointNamesOf(table);
  const snakes = snakeNames([...schemasOf(table), ...Object.values(table.defs)], table.optionNames);
  // Headings, comments, rows that begin with a number and the columns of names are written as they are to stand there.
  return page.replace(/^(#.*|<!--.*|\| -?\d+ \|.*|\| `\w+` \| `\w+` \|)|.+$/gm, (text, asItIs) =>
    asItIs === undefined ? inTypescript(text, snakes, points) : text,
  );
}

const nestedFields = (schema, defs) =>
  Object.entries(schema.properties)
    .map(([key, value]) => `\`${key}\` (${typeText(value, defs)}: ${value.description.replace(/\.$/, "")})`)
    .join(", ");

function section(point, table) {
  const { card } = point;
  const { defs } = table;
  const rows = Object.entries(point.context).map(([key, source]) => {
    const notes = [point.mutable.includes(key) && "replaceable", !point.required.includes(key) && "may be absent"];
    return row(key, source, defs, notes.filter(Boolean).join(", "));
  });
  rows.push(
    ...Object.entries(point.answer).map(([key, source]) =>
      row(key, source, defs, key in point.context ? "answer" : "answer only"),
    ),
  );
  const lines = [];
  if (card.change) lines.push(`- **Change:** ${card.change}`);
  if (point.textField) lines.push(`- **From C:** the answer is plain text, the new \`${point.textField}\`.`);
  if (card.cancel) lines.push(`- **Cancel:** ${card.cancel}`);
  for (const key of ["thread", "block", "payload", "failure", "reentry"]) {
    if (card[key]) lines.push(`- **${upperFirst(key)}:** ${card[key]}`);
  }
  return `## ${point.tsName}

Number ${point.number}, in C \`LH_HOOK_${point.name}\`, ${point.kind}. Fires ${card.when}; ${card.often}.

${head}${rows.join("")}${lines.length ? `\n${lines.join("\n")}\n` : ""}`;
}

function shapes(table) {
  return Object.entries(table.defs)
    .filter(([, schema]) => isShape(schema))
    .map(([name, schema]) => {
      const title = `## ${upperFirst(name.replace(/_/g, " "))}\n\n${schema.description}`;
      if (schema.enum) return `${title} ${schema.enum.map((value) => `\`${value}\``).join(", ")}.\n`;
      const rows = Object.entries(schema.properties).map(([key, source]) =>
        row(key, source, table.defs, schema.required?.includes(key) ? "" : "may be absent"),
      );
      return `${title}\n\n${head}${rows.join("")}`;
    })
    .join("\n");
}

export const pointsReference = (table) => inWords(pointsPage(table), table);
export const shapesReference = (table) => inWords(shapesPage(table), table);

function pointsPage(table) {
  const byNumber = new Map(table.points.map((point) => [point.number, point]));
  const ordered = table.order.map((number) => byNumber.get(number));
  const rows = ordered.map((point) => {
    const answers = Object.keys(point.answerFields).map((key) => `\`${camel(key)}\``);
    return `| ${point.number} | [${point.tsName}](#${point.tsName.toLowerCase()}) | \`${point.name}\` | ${point.kind} | ${point.group} | ${answers.join(", ")} |\n`;
  });
  const narrower = table.points
    .filter((point) => point.scopes.length < table.groups[point.group].scopes.length)
    .map((point) => `${point.name} takes hooks of ${point.scopes.join(" and ")} only.`);
  const groups = Object.entries(table.groups).map(
    ([name, group]) => `| ${name} | ${group.what} | ${group.scopes.join(", ")} |\n`,
  );
  const defaults = Object.entries(table.defaults).map(([key, text]) => `- **${upperFirst(key)}:** ${text}`);
  return `# The hook points

<!-- ${origin("points")} -->
<!-- prettier-ignore-start -->

Every point has a card here, in order of execution. [How hooks work](../concepts/hooks.md) has the rules and the lifecycle
diagram; [Shapes](shapes.md) describes the types that several points share.

Every point fires. Its group says where, and whose hooks it takes:

| group | where in the engine | takes hooks of |
|---|---|---|
${groups.join("")}
${narrower.join(" ")}

| number | TypeScript | C, after \`LH_HOOK_\` | kind | group | answers take |
|--:|---|---|---|---|---|
${rows.join("")}
What a section below does not say holds for all points:

${defaults.join("\n")}

Texts use the names of TypeScript. Every context has \`meta\` too, a ${shapeLink("hook_meta")}.

${ordered.map((point) => section(point, table)).join("\n")}
<!-- prettier-ignore-end -->
`;
}

function shapesPage(table) {
  return `# Shapes

<!-- ${origin("points")} -->
<!-- prettier-ignore-start -->

The types that the fields of several [hook points](points.md), [results and events](results.md) share. Texts use
the names of TypeScript.

${shapes(table)}
<!-- prettier-ignore-end -->
`;
}

// docs/reference/parameters.md. Must not: say anything that parameters.json does not say.
import { defaultText } from "./table.mjs";
import { snakesOf } from "./typescript.mjs";
import { markdownTable, origin } from "../text.mjs";
import { inTypescript } from "../types.mjs";

const TYPES = {
  strings: "strings",
  stops: "strings",
  numbers: "numbers",
  schema: "JSON Schema",
  logit_bias: "array of `{ token, bias }`",
  adapter_choice: "array of `{ id, scale }`",
  tags: "object of strings, numbers and booleans",
  tool_choice: '`"auto"`, `"none"`, `"required"` or `{ tool }`',
};

function typeText({ type, schema, min, max, values, auto }) {
  const names = values ?? schema?.enum;
  if (names) return names.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema?.items?.enum)
    return `array of ${schema.items.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")}`;
  if (schema?.items)
    return `array of ${schema.items.$ref?.replace(/^.*\//, "").replaceAll("_", " ") ?? schema.items.type}`;
  if (schema?.additionalProperties?.$ref)
    return `object of ${schema.additionalProperties.$ref.replace(/^.*\//, "").replaceAll("_", " ")}`;
  if (schema?.$ref) return TYPES[schema.$ref.replace(/^.*\//, "")];
  if (schema) return "object";
  if (type === "integers_by_name") return `object of integers, ${min} to ${max}`;
  if (min === undefined || TYPES[type]) return TYPES[type] ?? type;
  return `${auto ? '`"auto"` or ' : ""}${type}, ${max === undefined ? `from ${min} up` : `${min} to ${max}`}`;
}

export function parametersReference(groups, pointNames) {
  const words = (text) => inTypescript(String(text), snakesOf(groups), pointNames);
  const sections = groups.map((group) => {
    const rows = group.rows.map((row) => {
      const standard = row.unset ?? (row.required ? "required" : (defaultText(row) ?? ""));
      const shown = row.unset === undefined && row.default !== undefined ? `\`${standard}\`` : standard;
      const c = row.only === "ts" ? "" : `\`${row.name}\``;
      const ts = row.only === "c" ? "" : `\`${row.tsName}\``;
      return [ts, c, typeText(row), words(shown), words(row.what)];
    });
    return `## ${group.title}\n\n${words(group.what)}\n\n${markdownTable(["TypeScript", "C", "type", "default or unset", ""], rows)}`;
  });
  return `# Parameters

<!-- ${origin("parameters")} -->
<!-- prettier-ignore-start -->

This page lists every option, with its type, its range and its default, or the behaviour if it is unset. TypeScript checks
an option when it is passed (\`TypeError\`); the engine checks options from C and from the answers of hooks
(\`INVALID_ARGUMENT\`). A row without a name in one of the two columns exists only in the other language: in TypeScript,
models, hooks, signals and callbacks are arguments of functions. Texts use the names of TypeScript. The same tables as JSON
Schema: [schemas/parameters.schema.json](../../schemas/parameters.schema.json).

${sections.join("\n")}
<!-- prettier-ignore-end -->
`;
}

// docs/reference/parameters.md. Must not: say anything that parameters.json does not say.
import { defaultText } from "./parameters.mjs";
import { markdownTable, origin } from "./text.mjs";

const TYPES = {
  strings: "strings",
  stops: "strings",
  numbers: "numbers",
  schema: "JSON Schema",
  logit_bias: "array of `{ token, bias }`",
  adapter_choice: "array of `{ id, scale }`",
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
  if (schema) return "object";
  if (type === "integers_by_name") return `object of integers, ${min} to ${max}`;
  if (min === undefined || TYPES[type]) return TYPES[type] ?? type;
  return `${auto ? '`"auto"` or ' : ""}${type}, ${max === undefined ? `from ${min} up` : `${min} to ${max}`}`;
}

export function parametersReference(groups) {
  const sections = groups.map((group) => {
    const rows = group.rows.map((row) => {
      const standard = row.unset ?? (row.required ? "required" : (defaultText(row) ?? ""));
      const shown = row.unset === undefined && row.default !== undefined ? `\`${standard}\`` : standard;
      const c = row.only === "ts" ? "" : `\`${row.name}\``;
      const ts = row.only === "c" ? "" : `\`${row.tsName}\``;
      return [ts, c, typeText(row), shown, row.what];
    });
    return `## ${group.title}\n\n${group.what}\n\n${markdownTable(["TypeScript", "C", "type", "default or unset", ""], rows)}`;
  });
  return `# Parameters

<!-- ${origin("parameters")} -->
<!-- prettier-ignore-start -->

Everything that may be set, with its type, its range and what holds when it is not set. TypeScript checks a value when it
is given (\`TypeError\`); the engine checks what comes through C and what hooks answer (\`INVALID_ARGUMENT\`). What has no
name in one of the two columns is the other's alone: TypeScript brings models, hooks, signals and callbacks as arguments of
its functions. The same as JSON Schema: [schemas/parameters.schema.json](../../schemas/parameters.schema.json).

${sections.join("\n")}
<!-- prettier-ignore-end -->
`;
}

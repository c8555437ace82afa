// The C++ and C sides of the table of parameters: structs with defaults, their readers and writers, the header's lists.
// Must not: say anything that parameters.json does not say.
import { defaultText, LISTS, VALUE_HEADERS, VALUES } from "./table.mjs";
import { origin, pascal, wrap } from "../text.mjs";

const enumerator = (value) => `k${pascal(value.replaceAll("-", "_"))}`;
const readable = (group) => group.rows.filter((row) => row.type !== undefined && row.only !== "ts");

// Types whose empty value means that the option is unset.
const mayBeEmpty = ["string", "name", "integers_by_name"];

function memberType({ type, max, unset, cppEnum }) {
  const types = {
    integer: max > 0x7fffffff ? "uint32_t" : "int32_t",
    number: "double",
    boolean: "bool",
    string: "std::string",
    name: "std::string",
    enum: cppEnum,
    strings: "std::vector<std::string>",
    stops: "std::vector<std::string>",
    numbers: "std::vector<double>",
    integers_by_name: "std::map<std::string, int32_t>",
    schema: "Json",
    object: "Json",
  };
  if (LISTS.includes(type)) return `std::vector<${pascal(type)}>`;
  if (VALUES.includes(type)) return pascal(type);
  return unset !== undefined && !mayBeEmpty.includes(type) ? `std::optional<${types[type]}>` : types[type];
}

function member(row) {
  const { name, type, default: standard, unset, cppEnum } = row;
  const value = type === "enum" ? `${cppEnum}::${enumerator(standard)}` : standard;
  // A value of ours has its default in its own file.
  const literal = VALUES.includes(type)
    ? undefined
    : type === "number" && Number.isInteger(value)
      ? `${value}.0`
      : value;
  const note =
    unset !== undefined && unset !== "none" ? `  // ${mayBeEmpty.includes(type) ? "empty" : "none"}: ${unset}` : "";
  return `  ${memberType(row)} ${name}${literal === undefined ? "" : ` = ${literal}`};${note}\n`;
}

const range = ({ min, max, values }) => `${min ?? values[0]}, ${max ?? (values ? values.at(-1) : "kLargest")}`;

function readerCall(row) {
  const { name, type, expected, cppEnum } = row;
  const at = `"${name}", out.${name}`;
  const words = JSON.stringify(expected);
  switch (type) {
    case "integer":
      if (row.auto) return `reader.integer_or_auto(${at}, ${range(row)}, ${words});`;
      return `reader.integer(${at}, ${range(row)}, ${words});`;
    case "number":
      return `reader.number(${at}, ${range(row)}, ${words});`;
    case "boolean":
      return `reader.flag(${at});`;
    case "string":
      return `reader.text(${at}, ${words});`;
    case "name":
      return `reader.name(${at}, ${words});`;
    case "enum":
      return `reader.choice(${at}, k${cppEnum}Names, ${words});`;
    case "strings":
    case "stops":
      return `reader.texts(${at}, ${type === "strings"});`;
    case "numbers":
      return `reader.numbers(${at}, ${range(row)}, ${words});`;
    case "integers_by_name":
      return `reader.integers_by_name(${at}, ${range(row)}, ${words});`;
    case "schema":
    case "object":
      return `reader.${type}(${at});`;
    default:
      return `read_${type}(reader, ${at});`;
  }
}

function writerCall({ name, type, unset, auto, cppEnum }) {
  const value = `params.${name}`;
  if (auto) return `json["${name}"] = integer_or_auto(${value});`;
  if (mayBeEmpty.includes(type)) return `if (!${value}.empty()) json["${name}"] = ${value};`;
  if (unset !== undefined) return `if (${value}) json["${name}"] = *${value};`;
  if (type === "enum") return `json["${name}"] = k${cppEnum}Names[static_cast<size_t>(${value})];`;
  if (type === "logit_bias" || VALUES.includes(type)) return `json["${name}"] = to_json(${value});`;
  if (LISTS.includes(type)) return `if (!${value}.empty()) json["${name}"] = to_json(${value});`;
  return `json["${name}"] = ${value};`;
}

const enums = (groups) => groups.flatMap(readable).filter((row) => row.cppEnum);

/** The structs of some groups. `written`: those that are also written as JSON. */
export function parametersHeader(groups, written, purpose) {
  const types = groups.flatMap(readable).map(memberType).join(" ");
  const standard = ["cstdint", "map", "optional", "string", "vector"].filter((name) =>
    types.includes(name === "cstdint" ? "int32_t" : `std::${name}`),
  );
  const lists = LISTS.filter((type) => types.includes(pascal(type))).map((type) => `model/${type}.h`);
  const values = VALUES.filter((type) => types.includes(pascal(type))).map((type) => VALUE_HEADERS[type]);
  const ours = ["base/json/object_reader.h", ...lists, ...values].toSorted();
  const structs = groups.map((group) => {
    const given = group.keepsGiven
      ? "  std::vector<std::string> given;  // keys that were set, also to their default\n"
      : "";
    const members = readable(group).map(member).join("") + given;
    const functions = [`void read(ObjectReader& reader, ${group.struct}& out);`];
    if (written.includes(group.name)) {
      functions.push("// With every default filled in; what is not set is left out.");
      functions.push(`Json to_json(const ${group.struct}& params);`);
    }
    return `struct ${group.struct} {\n${members}};\n\n${functions.join("\n")}\n`;
  });
  return `// ${purpose}
// ${origin("parameters")}
#pragma once

${standard.map((name) => `#include <${name}>\n`).join("")}
${ours.map((name) => `#include "${name}"\n`).join("")}
namespace lh {

${enums(groups)
  .map(({ cppEnum, values }) => `enum class ${cppEnum} { ${values.map(enumerator).join(", ")} };\n`)
  .join("")}
${structs.join("\n")}
}  // namespace lh
`;
}

export function parametersSource(groups, written, header) {
  const names = enums(groups).map(
    ({ cppEnum, values }) =>
      `constexpr std::string_view k${cppEnum}Names[] = {${values.map((value) => `"${value}"`).join(", ")}};\n`,
  );
  const floats = groups.flatMap(readable).some(({ type, max }) => type === "number" && max === undefined);
  const largest = "constexpr double kLargest = std::numeric_limits<float>::max();  // what llama.cpp takes\n";
  const functions = groups.map((group) => {
    const rows = readable(group);
    const read = `void read(ObjectReader& reader, ${group.struct}& out) {\n${rows.map((row) => `  ${readerCall(row)}\n`).join("")}}\n`;
    if (!written.includes(group.name)) return read;
    const calls = rows.filter(({ required }) => !required).map((row) => `  ${writerCall(row)}\n`);
    return `${read}\nJson to_json(const ${group.struct}& params) {\n  Json json = Json::object();\n${calls.join("")}  return json;\n}\n`;
  });
  return `// ${origin("parameters")}
#include "${header}"

${floats ? "#include <limits>\n" : ""}#include <string_view>

namespace lh {
namespace {

${floats ? largest : ""}${names.join("")}
}  // namespace

${functions.join("\n")}
}  // namespace lh
`;
}

const TYPE_WORDS = {
  strings: "strings",
  stops: "strings",
  numbers: "numbers",
  schema: "JSON Schema",
  logit_bias: "[{token, bias}]",
  adapter_choice: "[{id, scale}]",
  tags: "object of strings, numbers and booleans",
  tool_choice: `"auto", "none", "required" or {tool}`,
  object: "object",
};

// In the lists of engine.h: a longer name pushes its text to the right instead of widening the column.
const NAME_WIDTH = 12;

const shortRange = (expected) =>
  expected
    .replace(/(^| )(a )?(whole )?numbers? from/, "$1from")
    .replace(/from (\S+) to (\S+)/, "$1..$2")
    .replace(/from (\S+) (\(.*\) )?up/, "$1..");

/** The lists of engine.h, inside one comment. */
export function parametersComment(groups) {
  const lines = groups.flatMap((group) => {
    const rows = group.rows.filter(({ only }) => only !== "ts");
    const column = Math.min(Math.max(...rows.map(({ name }) => name.length)), NAME_WIDTH) + 2;
    const head = wrap(`${group.title}: ${group.what}`, 114);
    return [
      "",
      ...head,
      ...rows.flatMap((row) => {
        const { min, values, type, expected, required } = row;
        const span = values
          ? values.map((value) => JSON.stringify(value)).join(", ")
          : min === undefined || type === "numbers"
            ? TYPE_WORDS[type]
            : shortRange(expected);
        const standard = defaultText(row);
        const facts = [
          span,
          required && "required",
          row.unset !== undefined ? standard !== "none" && `unset: ${standard}` : standard && `default ${standard}`,
        ];
        const text = `${row.what} (${facts.filter(Boolean).join("; ")})`.replace(" ()", "");
        return wrap(`${`${row.name}  `.padEnd(column)}${text}`, 115, " ".repeat(column)).map((line) => `  ${line}`);
      }),
    ];
  });
  return `/* ${origin("parameters")}
 *
 * The keys of options and requests. A key that is left out has its default, or what "unset" says; without either it is
 * empty. null is the same as left out; but for a sampling parameter, null resets a key that may be unset, and is an
 * error for any other key. "0..9" is a range with both ends; "0.." has no upper end.
${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")} */
`;
}

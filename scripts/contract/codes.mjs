// The tables of error codes and of flags: read, checked, and written for C, C++, TypeScript and the page of errors.
// Must not: say anything that errors.json and flags.json do not say.
import { camel, constant, docs, origin, pascal, upperFirst } from "./text.mjs";
import { inTypescript } from "./types.mjs";

function check(holds, message) {
  if (!holds) throw new Error(message);
}

/** Rows in ascending order of number; those without a number are last. */
export function checkErrors({ groups, errors }) {
  const names = new Set();
  let before = 0;
  for (const { number, name, group, what, do: advice } of errors) {
    check(number === null || (before !== null && number > before), `errors.json: ${name} is out of order`);
    check(Object.hasOwn(groups, group) && what && advice, `errors.json: ${name} lacks a group, what or do`);
    check(!names.has(name), `errors.json: ${name} stands twice`);
    names.add(name);
    before = number;
  }
  return { groups, errors };
}

/** The flags of hooks, and those of tools. */
export function checkFlags({ flags, tool_flags: toolFlags }) {
  const checked = (rows) =>
    rows.map((flag, i) => {
      check(flag.bit === i && flag.what, `flags.json: ${flag.name} is not bit ${i}, or lacks what`);
      return { ...flag, number: 2 ** flag.bit, tsName: camel(flag.name) };
    });
  for (const { name, ts } of flags) check(ts, `flags.json: ${name} lacks ts`);
  return { flags: checked(flags), toolFlags: checked(toolFlags) };
}

const constants = (rows) => {
  const column = Math.max(...rows.map(({ text }) => text.length)) + 2;
  const lines = rows.map(({ text, what }, i) => constant(`${text}${i + 1 < rows.length ? "," : ""}`, what, column));
  return lines.join("");
};

export function errorsHeader({ errors }) {
  const rows = errors
    .filter(({ number }) => number !== null)
    .map(({ number, name, what, c }) => ({ text: `  LH_ERR_${name} = ${number}`, what: c ?? what }));
  return `  /* ${origin("errors")} */\n  LH_OK = 0,\n${constants(rows)}`;
}

/** The constants of one enumeration, by the beginning of their names. */
export function flagsHeader(prefix, flags) {
  const rows = flags.map(({ number, name, what }) => ({ text: `  ${prefix}${name} = ${number}`, what }));
  return `  /* ${origin("flags")} */\n${constants(rows)}`;
}

const constantName = (name) => `k${pascal(name)}`;

export function codeHeader({ errors }) {
  const rows = errors.filter(({ number }) => number !== null);
  return `// The stable codes of hooks.h (LH_ERR_*). ${origin("errors")}
#pragma once

namespace lh {

enum class Code : int {
  kOk = 0,
${rows.map(({ number, name }) => `  ${constantName(name)} = ${number},\n`).join("")}};

// The stable upper-case name of a code ("MODEL_FILE_NOT_FOUND"), as users see it.
const char* code_name(Code code);

}  // namespace lh
`;
}

export function codeSource({ errors }) {
  const rows = errors.filter(({ number }) => number !== null);
  return `// ${origin("errors")}
#include "base/code.h"

namespace lh {

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk: return "OK";
${rows.map(({ name }) => `    case Code::${constantName(name)}: return "${name}";\n`).join("")}  }
  return "UNKNOWN";  // a number from the other side of the ABI
}

}  // namespace lh
`;
}

export function flagTable(flags) {
  return `// The flags of a hook by name. ${origin("flags")}
#pragma once

#include "llama_hooks/hooks.h"

namespace lh {

struct FlagInfo {
  uint32_t flag;
  const char* name;
};

inline constexpr FlagInfo kFlags[] = {
${flags.map(({ name }) => `    {LH_HOOK_${name}, "${name.toLowerCase()}"},\n`).join("")}};

inline constexpr uint32_t kKnownFlags = ${2 ** flags.length - 1};

}  // namespace lh
`;
}

export function errorsTypescript({ errors }, points) {
  const words = (text) => inTypescript(text, new Set(), points);
  const rows = errors.map(({ name, what }) => `${docs(`${upperFirst(words(what))}.`, 2)}  ${JSON.stringify(name)},\n`);
  const numbers = errors.filter(({ number }) => number !== null);
  return `// The codes of errors. ${origin("errors")}

/** Every code a {@link LlamaHooksError} can have. Stable: match these, never a message. \`docs/reference/errors.md\` explains each. */
export const errorCodes = [
${rows.join("")}] as const;

/** One of \`errorCodes\`. */
export type ErrorCode = (typeof errorCodes)[number];

/** The numbers LH_ERR_* of the codes that C has. */
export const errorNumbers = {
${numbers.map(({ number, name }) => `  ${name}: ${number},\n`).join("")}} as const satisfies Readonly<Partial<Record<ErrorCode, number>>>;
`;
}

const bits = (flags) => `{\n${flags.map(({ number, tsName }) => `  ${tsName}: ${number},\n`).join("")}} as const`;

export function flagsTypescript({ flags, toolFlags }) {
  return `// The flags of hooks and tools. ${origin("flags")}

/** Bits of LH_HOOK_*. */
export const hookFlags = ${bits(flags)};

/** Bits of LH_TOOL_*. */
export const toolFlags = ${bits(toolFlags)};

/** The same as options of a registration. */
export interface HookFlags {
${flags.map(({ tsName, ts }) => `${docs(ts, 2)}  readonly ${tsName}?: boolean;\n`).join("")}}
`;
}

const sentence = (text) => `${upperFirst(text)}${/[.!?]$/.test(text) ? "" : "."}`;

function errorSection({ name, number, what, do: advice }, words) {
  const inC = number === null ? "TypeScript alone has it." : `In C \`LH_ERR_${name}\`, ${number}.`;
  return `### ${name}\n\n${sentence(words(what))} ${inC}\n\n**What to do:** ${words(advice)}${/[.!?]$/.test(advice) ? "" : "."}\n`;
}

/** A section for each code, by groups, behind a list of all. `points`: names that TypeScript knows otherwise. */
export function errorsPage({ groups, errors }, points) {
  const words = (text) => inTypescript(text, new Set(), points);
  const links = (list) => list.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`).join(", ");
  const of = (group) => errors.filter((error) => error.group === group);
  const contents = Object.entries(groups).map(([group, title]) => `- ${title}: ${links(of(group))}`);
  const sections = Object.entries(groups).map(
    ([group, title]) =>
      `## ${title}\n\n${of(group)
        .map((error) => errorSection(error, words))
        .join("\n")}`,
  );
  return `<!-- ${origin("errors")} -->
<!-- prettier-ignore-start -->

${contents.join("\n")}

${sections.join("\n")}
<!-- prettier-ignore-end -->
`;
}

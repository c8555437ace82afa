// Reads and checks the table of compaction strategies; writes it for C++ and the manual.
import { markdownTable, origin, pascal } from "./text.mjs";

export function checkStrategies({ strategies }) {
  const word = /^[a-z]+(-[a-z]+)*$/;
  for (const { name, leave_out: leaveOut, summary, what } of strategies) {
    if (!word.test(name) || !word.test(leaveOut) || !what)
      throw new Error(`strategies.json: ${name} lacks a name, leave_out or what`);
    if (typeof summary !== "boolean") throw new Error(`strategies.json: ${name}.summary is not true or false`);
  }
  return strategies;
}

export function strategiesHeader(strategies) {
  const names = strategies.map(({ name }) => name);
  const leaveOuts = [...new Set(strategies.map(({ leave_out: leaveOut }) => leaveOut))];
  const rows = strategies.map(
    ({ name, leave_out: leaveOut, summary }) => `    {"${name}", LeaveOut::k${pascal(leaveOut)}, ${summary}},\n`,
  );
  return `// The strategies by which conversations are compacted.
// ${origin("strategies")}
#pragma once

#include <string_view>

namespace lh {

enum class LeaveOut { ${leaveOuts.map((one) => `k${pascal(one)}`).join(", ")} };

struct CompactionStrategy {
  std::string_view name;
  LeaveOut leave_out;
  bool summary;  // the model writes one in place of the messages
};

// In the order of the enumeration Compaction.
inline constexpr CompactionStrategy kCompactionStrategies[] = {
${rows.join("")}};

inline constexpr const char* kStrategyNames = "${names.slice(0, -1).join(", ")} or ${names.at(-1)}";

}  // namespace lh
`;
}

export function strategiesSection(strategies) {
  const rows = strategies.map(({ name, what }) => [`\`${name}\``, what]);
  return `<!-- prettier-ignore-start -->\n\n${markdownTable(["strategy", "if shorter tool results are not enough, it"], rows)}\n<!-- prettier-ignore-end -->\n`;
}

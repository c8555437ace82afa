// Writes the table with which native/agent/permissions/nfc.cpp brings text into Unicode's normal form C, as this Node
// knows Unicode:
//   node scripts/build/unicode-table.mjs FILE
// Run by CMake. Must not: write anything for Hangul, which is computed.
import { writeFileSync } from "node:fs";

const hangul = { first: 0xac00, last: 0xd7a3 };
const characters = [];
for (let code = 0x80; code <= 0x10ffff; code++) {
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  if (!surrogate && (code < hangul.first || code > hangul.last)) characters.push(String.fromCodePoint(code));
}
const codes = (text) => [...text].map((character) => character.codePointAt(0));
const decomposed = (text) => text.normalize("NFD");

// Combining classes, which JavaScript tells by the order of marks alone: of two marks the one of a higher class goes
// last. U+0334 is of the lowest class, U+0345 of the highest.
const goesBefore = (first, second) => decomposed(second + first) === first + second && first !== second;
const [lowest, highest] = ["\u0334", "\u0345"];
const marks = characters.filter(
  (mark) => decomposed(mark) === mark && (goesBefore(mark, highest) || goesBefore(lowest, mark)),
);
marks.sort((a, b) => (goesBefore(a, b) ? -1 : goesBefore(b, a) ? 1 : a.codePointAt(0) - b.codePointAt(0)));
const classes = [];
for (const [i, mark] of marks.entries()) {
  const before = classes[i - 1];
  const higher = before !== undefined && goesBefore(marks[i - 1], mark);
  classes.push({ code: mark.codePointAt(0), rank: before === undefined ? 1 : before.rank + (higher ? 1 : 0) });
}
classes.sort((a, b) => a.code - b.code);

const decompositions = characters
  .filter((character) => decomposed(character) !== character)
  .map((character) => ({ code: character.codePointAt(0), to: codes(decomposed(character)) }));

// A pair that becomes one character: what that is without its last mark, and the mark.
const compositions = [];
for (const character of characters) {
  if (character.normalize("NFC") !== character || decomposed(character) === character) continue;
  const to = [...decomposed(character)];
  const last = to.pop();
  const first = to.join("").normalize("NFC");
  if ([...first].length === 1 && (first + last).normalize("NFC") === character) {
    compositions.push({ first: first.codePointAt(0), second: last.codePointAt(0), code: character.codePointAt(0) });
  }
}
compositions.sort((a, b) => a.first - b.first || a.second - b.second);

const longest = Math.max(...decompositions.map(({ to }) => to.length));
const hex = (code) => `0x${code.toString(16)}`;
const rows = (list, row) => list.map((one) => `    {${row(one)}},\n`).join("");
writeFileSync(
  process.argv[2],
  `// Unicode ${process.versions.unicode}; written by scripts/build/unicode-table.mjs.
#pragma once
namespace lh {
struct CombiningRank { char32_t code; unsigned char rank; };
constexpr CombiningRank kCombiningRanks[] = {\n${rows(classes, ({ code, rank }) => `${hex(code)}, ${rank}`)}};
struct Decomposition { char32_t code; char32_t to[${longest}]; };
constexpr Decomposition kDecompositions[] = {\n${rows(decompositions, ({ code, to }) => `${hex(code)}, {${to.map(hex).join(", ")}}`)}};
struct Composition { char32_t first; char32_t second; char32_t code; };
constexpr Composition kCompositions[] = {\n${rows(compositions, ({ first, second, code }) => [first, second, code].map(hex).join(", "))}};
}  // namespace lh
`,
);

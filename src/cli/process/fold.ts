// Breaks text into lines that fit a terminal, also within a long word. Must not: be used for data, which keeps its
// lines.

/** The lines of a text, each of at most `width` characters: broken after a space if one is in the second half. */
export function fold(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const folded: string[] = [];
    let rest = [...line];
    while (rest.length > width) {
      const space = rest.lastIndexOf(" ", width);
      const end = space > width / 2 ? space + 1 : width;
      folded.push(rest.slice(0, end).join("").trimEnd());
      rest = rest.slice(end);
    }
    return [...folded, rest.join("")];
  });
}

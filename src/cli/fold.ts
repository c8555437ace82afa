// Lines too long for a terminal, which would break them in the middle of a word. Must not: be used for what is data.

/** The lines of a text, none of more characters than `width`: broken behind a space, where there is one not far back. */
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

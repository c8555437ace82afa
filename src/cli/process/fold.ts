// Lines too long for a terminal, which would break them in the middle of a word. Must not: be used for what is data.

/** The lines of a text, broken at spaces alone: a word that is longer than `width` stays whole, and can be copied. */
export function foldAtSpaces(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const [first = "", ...words] = line.split(/(?<=\S) /);
    const folded = [first];
    for (const word of words) {
      const longer = `${folded.at(-1)} ${word}`;
      if ([...longer].length > width) folded.push(word);
      else folded[folded.length - 1] = longer;
    }
    return folded;
  });
}

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

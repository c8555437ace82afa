// Breaks text into lines between words. Must not: be used for data, which keeps its lines.
import { stripVTControlCharacters } from "node:util";

/**
 * The lines of a text, each of at most `width` characters; escape sequences do not count. A word that is longer than
 * `width` stays whole, so that it can be copied. `indent` begins each line that follows a break.
 */
export function wrap(text: string, width: number, indent = ""): string[] {
  return text.split("\n").flatMap((line) => {
    const [first = "", ...words] = line.split(/(?<=\S) /);
    const lines = [first];
    for (const word of words) {
      const longer = `${lines.at(-1)} ${word}`;
      if ([...stripVTControlCharacters(longer)].length > width) lines.push(indent + word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  });
}

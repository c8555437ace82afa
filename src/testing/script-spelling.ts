// Gives every token of a script model a text of its own, also where two tokens stand for the same piece.
// Must not: change what a token decodes to.
import { byteLevelCodePoints } from "./byte-level.js";

/**
 * Spells byte strings as vocabulary texts, never the same text twice.
 *
 * A vocabulary maps text to token, so llama.cpp aborts the process on a text that occurs twice. But a piece that a script
 * says twice needs two tokens: what follows differs. Further tokens of a piece are therefore spelled with characters in
 * a longer UTF-8 form than needed ("overlong"): llama.cpp decodes both forms to the same code point, hence to the same
 * bytes, and its tokenizer, which spells text in the shortest form, never produces them. llama.cpp is pinned to one
 * release; the test of a reply with repeated words fails should its decoder ever become strict.
 */
export class Speller {
  readonly #used = new Set<string>();
  readonly #apart: boolean;

  /** `apart`: never in the shortest form, so that no prompt has a token that is spelled here. */
  constructor(apart: boolean) {
    this.#apart = apart;
  }

  /** Marks texts as taken, such as those of control tokens. */
  reserve(text: string): void {
    this.#used.add(Buffer.from(text).toString("hex"));
  }

  /** A text not returned before that decodes to `bytes`, or undefined when all forms are taken (a single character has four). */
  spell(bytes: Uint8Array): Uint8Array | undefined {
    const points = byteLevelCodePoints(bytes);
    // llama.cpp gives texts that look like the control tokens of known models ("</s>", "<|eot_id|>") their meaning there.
    const first = this.#apart || looksLikeControl(Buffer.from(bytes).toString("latin1")) ? 1 : 0;
    for (let variant = first; ; variant++) {
      const text = spelling(points, variant);
      if (text === undefined) return undefined;
      const key = text.toString("hex");
      if (this.#used.has(key)) continue;
      this.#used.add(key);
      return text;
    }
  }
}

function looksLikeControl(text: string): boolean {
  return /[<[].*[>[\]]/s.test(text);
}

/** `variant` counts in mixed radix: digit k says by how many bytes character k is longer than it needs to be. */
function spelling(points: readonly number[], variant: number): Buffer | undefined {
  const bytes: number[] = [];
  let rest = variant;
  for (const point of points) {
    const shortest = point < 0x80 ? 1 : point < 0x800 ? 2 : 3;
    const forms = 5 - shortest;
    bytes.push(...utf8(point, shortest + (rest % forms)));
    rest = Math.floor(rest / forms);
  }
  return rest === 0 ? Buffer.from(bytes) : undefined;
}

function utf8(point: number, length: number): number[] {
  if (length === 1) return [point];
  const lead = [0, 0, 0xc0, 0xe0, 0xf0][length] ?? 0;
  const bytes = [lead | (point >> (6 * (length - 1)))];
  for (let shift = 6 * (length - 2); shift >= 0; shift -= 6) bytes.push(0x80 | ((point >> shift) & 0x3f));
  return bytes;
}

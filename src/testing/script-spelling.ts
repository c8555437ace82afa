// Gives every token of a script model a different text, even if two tokens have the same piece. Must not: change the
// text that a token decodes to.
import { byteLevelCodePoints } from "./byte-level.js";

/**
 * Spells byte strings as vocabulary texts, never the same text twice.
 *
 * A vocabulary maps text to token, so llama.cpp aborts the process on a duplicate text. But a piece that occurs twice
 * in a script needs two tokens with different successors. Further tokens of a piece are therefore spelled with
 * characters in a longer UTF-8 form than needed ("overlong"): llama.cpp decodes both forms to the same code point,
 * hence to the same bytes, and its tokenizer, which spells text in the shortest form, never produces them. llama.cpp is
 * pinned to one release; the test of a reply with repeated words fails if its decoder becomes strict.
 */
export class Speller {
  readonly #used = new Set<string>();
  readonly #apart: boolean;

  /** `apart`: never use the shortest form, so that no prompt contains a token that is spelled here. */
  constructor(apart: boolean) {
    this.#apart = apart;
  }

  /** Reserves texts, such as those of control tokens. */
  reserve(text: string): void {
    this.#used.add(Buffer.from(text).toString("hex"));
  }

  /**
   * Returns an unused text that decodes to `bytes`, or undefined if all forms are used (a single character has four).
   */
  spell(bytes: Uint8Array): Uint8Array | undefined {
    const points = byteLevelCodePoints(bytes);
    // llama.cpp treats texts that look like control tokens of known models ("</s>", "<|eot_id|>") as such.
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

/** `variant` counts in mixed radix: digit k is the number of extra bytes of character k. */
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

// The vocabulary of a script model: bytes for any prompt, control tokens, then a token for each piece of each reply.
import { byteLevelText } from "./byte-level.js";
import { text, uint32, type GgufValue } from "./gguf-writer.js";
import type { SpecialTokens } from "./script-special-tokens.js";
import { Speller } from "./script-spelling.js";

const tokenTypes = { normal: 1, control: 3, userDefined: 4 } as const;

export class Vocabulary {
  readonly #speller: Speller;
  readonly end: number;
  readonly #pad: number;
  readonly #texts: (string | Uint8Array)[] = [];
  readonly #types: number[] = [];
  /** Special tokens of a template that no reply has used yet. */
  readonly #unused = new Map<string, number>();
  readonly #special = new Set<number>();

  /** `repliesApart`: prompts contain no token of a reply, except special tokens. */
  constructor(repliesApart: boolean) {
    this.#speller = new Speller(repliesApart);
    // A prompt may be any text, so each byte needs a token. llama.cpp also requires a merge, and drops merges that
    // yield no token.
    for (let byte = 0; byte < 256; byte++) this.add(Uint8Array.of(byte));
    this.add("  ");
    this.control("<|im_start|>");
    this.end = this.control("<|im_end|>");
    this.#pad = this.control("<|endoftext|>");
  }

  get length(): number {
    return this.#texts.length;
  }

  control(token: string): number {
    return this.#add(token, tokenTypes.control);
  }

  /** Adds the special tokens of a chat template. Existing ones stay unchanged. */
  addSpecial({ control, tags }: SpecialTokens): void {
    for (const [tokens, type] of [
      [control, tokenTypes.control],
      [tags, tokenTypes.userDefined],
    ] as const) {
      for (const token of tokens) {
        if (this.#texts.includes(token)) continue;
        const id = this.#add(token, type);
        this.#unused.set(token, id);
        this.#special.add(id);
      }
    }
  }

  isSpecial(id: number): boolean {
    return this.#special.has(id);
  }

  add(piece: string | Uint8Array): number {
    return this.#add(byteLevelText(Buffer.from(piece)), tokenTypes.normal);
  }

  /**
   * Adds a token for a piece that may be in the vocabulary already; returns undefined if no room is left. The first
   * request for a special token gets it. A token has one successor, so all later requests get text that reads the same.
   */
  addAnother(piece: Uint8Array): number | undefined {
    const special = Buffer.from(piece).toString();
    const unused = this.#unused.get(special);
    this.#unused.delete(special);
    if (unused !== undefined) return unused;
    const spelling = this.#speller.spell(piece);
    if (spelling === undefined) return undefined;
    this.#types.push(tokenTypes.normal);
    return this.#texts.push(spelling) - 1;
  }

  metadata(): [string, GgufValue][] {
    return [
      ["tokenizer.ggml.model", text("gpt2")],
      ["tokenizer.ggml.pre", text("llama-bpe")],
      ["tokenizer.ggml.tokens", { type: "strings", values: this.#texts }],
      ["tokenizer.ggml.token_type", { type: "int32s", values: this.#types }],
      ["tokenizer.ggml.merges", { type: "strings", values: ["Ġ Ġ"] }],
      ["tokenizer.ggml.bos_token_id", uint32(this.#pad)],
      ["tokenizer.ggml.eos_token_id", uint32(this.end)],
      ["tokenizer.ggml.padding_token_id", uint32(this.#pad)],
      ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
    ];
  }

  #add(spelling: string, type: number): number {
    this.#speller.reserve(spelling);
    this.#types.push(type);
    return this.#texts.push(spelling) - 1;
  }
}

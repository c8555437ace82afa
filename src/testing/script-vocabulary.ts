// The vocabulary of a script model: bytes for any prompt, control tokens, then a token for each piece of each reply.
// Must not: know what follows what.
import { byteLevelText } from "./byte-level.js";
import { text, uint32, type GgufValue } from "./gguf-writer.js";
import { Speller } from "./script-spelling.js";

const tokenTypes = { normal: 1, control: 3 } as const;

export class Vocabulary {
  readonly #speller = new Speller();
  readonly end: number;
  readonly #pad: number;
  readonly #texts: (string | Uint8Array)[] = [];
  readonly #types: number[] = [];

  constructor() {
    // Prompts are any text: each byte needs a token. llama.cpp also requires a merge, and drops what merges into no token.
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

  add(piece: string | Uint8Array): number {
    return this.#add(byteLevelText(Buffer.from(piece)), tokenTypes.normal);
  }

  /** A further token of a piece that may be in the vocabulary already; undefined when there is no room for one. */
  addAnother(piece: Uint8Array): number | undefined {
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

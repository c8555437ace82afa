// Writes script models: small GGUF files whose decoding replays given replies, for tests of hooks, sessions and engines.
// Must not: depend on the engine. The model is an ordinary one to whoever loads it.
import { wrong } from "../base/check.js";
import { text, writeGguf } from "./gguf-writer.js";
import { Chains, type Link } from "./script-chain.js";
import { codeCount } from "./script-codes.js";
import { checkScriptModel, type ScriptModelOptions } from "./script-options.js";
import { replyPieces, spokenText, type ScriptReply } from "./script-reply.js";
import { specialTokens, type SpecialTokens } from "./script-special-tokens.js";
import { markedTemplate, replyMarker, scriptTemplate } from "./script-template.js";
import { Vocabulary } from "./script-vocabulary.js";
import { scriptHyperparameters, scriptTensors, type TokenRow } from "./script-weights.js";

/**
 * Writes a model of some 150 KB that loads in milliseconds and replays replies through the real tokenizer, chat template,
 * grammar, sampler and KV cache, at any sampling temperature up to about 5.
 *
 * Every piece of a reply is a token of its own, and each token has one successor. A prompt without the chat template
 * (`raw`) starts the first reply. Where the end of a reply is forbidden (`ignoreEos`) the model goes on with ` ~ ~ ~`.
 */
export async function writeScriptModel(path: string, options: ScriptModelOptions): Promise<void> {
  if (typeof path !== "string" || path === "")
    throw wrong("The path of a script model", "a string that is not empty", path);
  const scripts = checkScriptModel(options);
  const { chatTemplate, contextLength = 4096, name = "script" } = options;
  const spoken = scripts.flatMap(({ replies }) => replies.map(spokenText));
  const specials = chatTemplate === undefined ? { control: [], tags: [] } : specialTokens(chatTemplate, spoken);
  // The marker of ChatML is the last token of a prompt; that of a foreign template its first.
  const attends = chatTemplate !== undefined;
  const vocabulary = new Vocabulary(attends);
  vocabulary.addSpecial(specials);
  const chains = new Chains();
  const turns = scripts.flatMap(({ when, replies }, script) =>
    replies.map((reply, index) => ({
      marker: vocabulary.control(replyMarker(script, index)),
      first: addReply(
        chains,
        reply,
        specials,
        `${when === undefined ? "" : `scripts[${script - 1}].`}replies[${index}]`,
      ),
      byHand: typeof reply === "object" && "pieces" in reply,
    })),
  );
  const filler = vocabulary.add(" ~");
  // Replies cut by hand choose their spellings first, so that their tokens are the least likely to be joined.
  const firsts = [...turns.filter(({ byHand }) => byHand), ...turns.filter(({ byHand }) => !byHand)];
  const links = chains.place(
    firsts.map(({ first }) => first),
    (piece) => vocabulary.addAnother(piece),
  );
  if (vocabulary.length > codeCount) {
    throw new RangeError(`The script needs ${vocabulary.length} tokens, a script model has at most ${codeCount}`);
  }

  const isSpecial = (id: number): boolean => vocabulary.isSpecial(id);
  const row = (next: Link | undefined, part: TokenRow["part"]): TokenRow =>
    attends ? { next: next?.id, part } : { next: next?.id };
  // A prompt without the chat template may end in any token that is not of a reply.
  const rows = Array.from({ length: vocabulary.length }, () => row(turns[0]?.first, "prompt"));
  for (const { marker, first } of turns) rows[marker] = row(first, "marker");
  const opening = new Set(turns.flatMap(({ first }) => openingLinks(first, isSpecial)));
  for (const link of links) {
    if (link.id === undefined) continue;
    rows[link.id] = row(link.next, !isSpecial(link.id) ? "reply" : opening.has(link) ? "opening" : "shared");
  }
  rows[filler] = { ...row(undefined, "reply"), next: filler };
  await writeGguf(path, {
    metadata: new Map([
      ...scriptHyperparameters(rows, contextLength),
      ["general.name", text(name)],
      ...vocabulary.metadata(),
      [
        "tokenizer.chat_template",
        text(chatTemplate === undefined ? scriptTemplate(scripts) : markedTemplate(chatTemplate, turns.length - 1)),
      ],
    ]),
    tensors: scriptTensors(rows, vocabulary.end, filler),
  });
}

/** The special tokens that a reply begins with: nothing in the context says yet that it is under way. */
function openingLinks(first: Link | undefined, isSpecial: (id: number) => boolean): Link[] {
  const found: Link[] = [];
  for (let link = first; link?.id !== undefined && isSpecial(link.id) && !found.includes(link); link = link.next) {
    found.push(link);
  }
  return found;
}

function addReply(
  chains: Chains,
  reply: ScriptReply,
  { control, tags }: SpecialTokens,
  what: string,
): Link | undefined {
  const pieces = replyPieces(reply, [...control, ...tags]);
  if (typeof reply === "string" || reply.endless !== true) return chains.add(pieces);
  if (pieces.length === 0) throw new TypeError(`"${what}" is endless: it must not be empty`);
  return chains.addEndless(pieces);
}

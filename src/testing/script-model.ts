// Writes script models: small GGUF files whose decoding replays given replies, for tests of hooks, sessions and engines.
// Must not: depend on the engine. The model is an ordinary one to whoever loads it.
import { text, writeGguf } from "./gguf-writer.js";
import { Chains, type Link } from "./script-chain.js";
import { codeCount } from "./script-codes.js";
import { replyPieces, type ScriptReply } from "./script-reply.js";
import { replyMarker, scriptTemplate } from "./script-template.js";
import { Vocabulary } from "./script-vocabulary.js";
import { scriptHyperparameters, scriptTensors } from "./script-weights.js";

export interface ScriptModelOptions {
  /**
   * What the model says. The number of assistant messages in a conversation selects the reply: `replies[0]` answers the
   * first call, `replies[1]` the call after one assistant message, and so on, whatever the messages say.
   */
  readonly replies: readonly ScriptReply[];
  /**
   * What follows the last reply. "end" (the default): the model says `[the script has no reply 3]`, so that a test that
   * calls it too often sees why. "repeat": the last reply again, for instance to keep a loop calling its tool.
   */
  readonly afterLast?: "end" | "repeat";
  /**
   * Further scripts, for conversations in which a system or user message contains `when`: for a sub-agent known by its
   * system prompt, or a request to summarise. The first that matches is used, otherwise `replies`.
   */
  readonly scripts?: readonly { readonly when: string; readonly replies: readonly ScriptReply[] }[];
  /** The context length the model claims to be trained for. Default 4096. A prompt is a token a byte, mostly. */
  readonly contextLength?: number;
  /** The model's name in its metadata. Default "script". */
  readonly name?: string;
}

/**
 * Writes a model of some 150 KB that loads in milliseconds and replays replies through the real tokenizer, chat template,
 * grammar, sampler and KV cache, at any sampling temperature up to about 5.
 *
 * Every piece of a reply is a token of its own, and each token has one successor. A prompt without the chat template
 * (`raw`) starts the first reply. Where the end of a reply is forbidden (`ignoreEos`) the model goes on with ` ~ ~ ~`.
 */
export async function writeScriptModel(path: string, options: ScriptModelOptions): Promise<void> {
  const scripts = checked(options);
  const vocabulary = new Vocabulary();
  const chains = new Chains();
  const turns = scripts.flatMap(({ replies }, script) =>
    replies.map((reply, index) => ({
      marker: vocabulary.control(replyMarker(script, index)),
      first: addReply(chains, reply),
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

  // A prompt without the chat template may end in any token that is not of a reply.
  const successors = Array.from({ length: vocabulary.length }, () => turns[0]?.first);
  for (const { marker, first } of turns) successors[marker] = first;
  for (const { id, next } of links) if (id !== undefined) successors[id] = next;
  await writeGguf(path, {
    metadata: new Map([
      ...scriptHyperparameters(vocabulary.length, options.contextLength ?? 4096),
      ["general.name", text(options.name ?? "script")],
      ...vocabulary.metadata(),
      ["tokenizer.chat_template", text(scriptTemplate(scripts))],
    ]),
    tensors: scriptTensors(
      successors.map((next, id) => (id === filler ? filler : next?.id)),
      vocabulary.end,
      filler,
    ),
  });
}

interface Script {
  readonly when: string | undefined;
  readonly replies: readonly ScriptReply[];
}

/** The scripts, the main one first, each with what follows its last reply. */
function checked(options: ScriptModelOptions): Script[] {
  const { replies, scripts = [], afterLast = "end", contextLength = 4096 } = options;
  if (!Number.isInteger(contextLength) || contextLength < 1) {
    throw new TypeError(`"contextLength" must be a positive integer, got ${contextLength}`);
  }
  return [{ when: undefined, replies }, ...scripts].map((script) => {
    if (!Array.isArray(script.replies)) throw new TypeError(`"replies" must be an array, got ${typeof script.replies}`);
    if (script.when === "") throw new TypeError('"when" must not be empty: every message contains it');
    const ended = `[the script has no reply ${script.replies.length + 1}]`;
    const repeats = afterLast === "repeat" && script.replies.length > 0;
    return { when: script.when, replies: repeats ? script.replies : script.replies.concat(ended) };
  });
}

function addReply(chains: Chains, reply: ScriptReply): Link | undefined {
  const pieces = replyPieces(reply);
  if (typeof reply === "string" || reply.endless !== true) return chains.add(pieces);
  if (pieces.length === 0) throw new TypeError("An endless reply must not be empty");
  return chains.addEndless(pieces);
}

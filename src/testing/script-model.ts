// Writes script models: small GGUF files that replay given replies, for tests of hooks, sessions and engines. Any
// llama.cpp program can load them.
import { resolve } from "node:path";
import { wrong } from "../base/check.js";
import { text, writeGguf } from "./gguf-writer.js";
import { Chains, type Link } from "./script-chain.js";
import { codeCount } from "./script-codes.js";
import { checkScriptModel, type ScriptAdapter, type ScriptModelOptions } from "./script-options.js";
import { ordersOf } from "./script-orders.js";
import { replyPieces, spokenText, type ScriptReply } from "./script-reply.js";
import { specialTokens, type SpecialTokens } from "./script-special-tokens.js";
import { markedTemplate, replyMarker, scriptTemplate } from "./script-template.js";
import { Vocabulary } from "./script-vocabulary.js";
import {
  adapterMetadata,
  adapterTensors,
  scriptHyperparameters,
  scriptTensors,
  type TokenRow,
} from "./script-weights.js";

/**
 * Writes a model of some 130 KB that loads in milliseconds and replays replies through the real tokenizer, chat
 * template, grammar, sampler and KV cache, at any sampling temperature up to about 5.
 *
 * Every piece of a reply is a separate token, and each token has one successor. A prompt without the chat template
 * (`raw`) starts the first reply. If the end of a reply is forbidden (`ignoreEos`), the model continues with ` ~ ~ ~`.
 *
 * A reply that a request forbids ends the generation with UNSUPPORTED_BY_MODEL, which names the reply and the reason: a
 * call of an unknown tool or with wrong arguments, a text where `toolChoice` asks for a call, a text that does not fit
 * `jsonSchema`, `answer` or `grammar`. With `overruled: true` the model then writes what the request admits.
 *
 * @example
 * ```ts
 * await writeScriptModel("script.gguf", {
 *   replies: [{ toolCalls: [{ name: "read", args: { path: "/etc/passwd" } }] }, "I may not read it."],
 * });
 * const engine = await createEngine({ model: "script.gguf", hooks: [guards] });
 * const { text } = await engine.session({ tools: [read] }).run("Read /etc/passwd.");
 * ```
 */
export async function writeScriptModel(path: string, options: ScriptModelOptions): Promise<void> {
  if (typeof path !== "string" || path === "")
    throw wrong("The path of a script model", "a string that is not empty", path);
  const scripts = checkScriptModel(options);
  checkFiles([path, ...(options.adapters ?? []).map((one) => one.path)]);
  const { adapters = [], chatTemplate, infills = false, overruled = false } = options;
  const { contextLength = 4096, name = "script" } = options;
  const spoken = [...scripts, ...adapters].flatMap(({ replies }) => replies.map(spokenText));
  const specials = chatTemplate === undefined ? { control: [], tags: [] } : specialTokens(chatTemplate, spoken);
  // ChatML's marker is the last token of a prompt; that of a custom template is the first.
  const attends = chatTemplate !== undefined;
  const vocabulary = new Vocabulary(attends);
  vocabulary.addSpecial(specials);
  if (infills) for (const part of ["prefix", "suffix", "middle"]) vocabulary.control(`<|fim_${part}|>`);
  const chains = new Chains();
  const opened = (reply: ScriptReply, what: string): Opened => ({
    first: addReply(chains, reply, specials, what),
    byHand: typeof reply === "object" && "pieces" in reply,
  });
  // An adapter changes the replies in the order of the script.
  const orders = scripts.map(({ replies }) =>
    replies.map((reply) => (attends || adapters.length > 0 ? undefined : ordersOf(reply))),
  );
  const turn = (reply: ScriptReply, named: string, asks: string): Turn => ({
    marker: vocabulary.control(asks),
    asks,
    named,
    ...opened(reply, named),
  });
  const turns = [
    ...scripts.flatMap(({ replies, names }, script) =>
      replies.map((reply, index) => turn(reply, names[index] ?? "", replyMarker(script, index))),
    ),
    ...scripts.flatMap(({ names }, script) =>
      (orders[script] ?? []).flatMap((one, index) =>
        (one?.others ?? []).map(({ order, reply }) =>
          turn(reply, names[index] ?? "", replyMarker(script, index, order)),
        ),
      ),
    ),
  ];
  const others = adapters.map(({ replies }, adapter) =>
    replies.map((reply, index) => opened(reply, `adapters[${adapter}].replies[${index}]`)),
  );
  const filler = vocabulary.add(" ~");
  // Replies with `pieces` choose their spellings first, so that their tokens are the last to be merged.
  const all: Opened[] = [...turns, ...others.flat()];
  const firsts = [...all.filter(({ byHand }) => byHand), ...all.filter(({ byHand }) => !byHand)];
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
  const opening = new Set(all.flatMap(({ first }) => openingLinks(first, isSpecial)));
  /** `said`: the first link of each reply, in the order of the turns. */
  const rowsOf = (said: readonly (Link | undefined)[]): TokenRow[] => {
    // A prompt without the chat template may end in any token that is not part of a reply.
    const rows = Array.from({ length: vocabulary.length }, () => row(said[0], "prompt"));
    turns.forEach(({ marker }, turn) => (rows[marker] = row(said[turn], "marker")));
    for (const link of links) {
      if (link.id === undefined) continue;
      rows[link.id] = row(link.next, !isSpecial(link.id) ? "reply" : opening.has(link) ? "opening" : "shared");
    }
    rows[filler] = { ...row(undefined, "reply"), next: filler };
    return rows;
  };
  const said = turns.map(({ first }) => first);
  const rows = rowsOf(said);
  for (const [index, adapter] of adapters.entries()) {
    const own = others[index]?.map(({ first }) => first) ?? [];
    const tensors = adapterTensors(rows, rowsOf([...own, ...said.slice(own.length)]), vocabulary.end, filler);
    await writeGguf(adapter.path, { metadata: adapterMetadata(adapter.invocationTokens ?? []), tensors });
  }
  await writeGguf(path, {
    metadata: new Map([
      ...scriptHyperparameters(rows, contextLength),
      ["general.name", text(name)],
      ...(overruled ? [] : ([["llama_hooks.script", text(namesOf(turns, adapters))]] as const)),
      ...vocabulary.metadata(),
      [
        "tokenizer.chat_template",
        text(
          chatTemplate === undefined
            ? scriptTemplate(scripts.map(({ when }, script) => ({ when, replies: orders[script] ?? [] })))
            : markedTemplate(chatTemplate, turns.length - 1),
        ),
      ],
    ]),
    tensors: scriptTensors(rows, vocabulary.end, filler),
  });
}

/** A reply with its first link. */
interface Opened {
  readonly first: Link | undefined;
  readonly byHand: boolean;
}

/** A reply with the control token that asks for it. */
interface Turn extends Opened {
  readonly marker: number;
  /** The token's text. */
  readonly asks: string;
  /** The name of the reply in messages. */
  readonly named: string;
}

/**
 * Returns the names that an engine uses for replies that the grammar of a request does not admit, by the text of the
 * token that asks for the reply. A prompt without such a token begins the first reply.
 */
function namesOf(turns: readonly Turn[], adapters: readonly ScriptAdapter[]): string {
  const names = turns.map(({ asks, named }, index): [string, string] => {
    const adapted = adapters.flatMap(({ replies }, adapter) =>
      index < replies.length ? [`adapters[${adapter}].replies[${index}]`] : [],
    );
    return [asks, [named, ...adapted].join(" or ")];
  });
  return JSON.stringify(Object.fromEntries([["", names[0]?.[1] ?? ""], ...names]));
}

/** The special tokens at the start of a reply, before the context shows that a reply is under way. */
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

/** Two files of one name would overwrite each other. */
function checkFiles(paths: readonly string[]): void {
  const known = new Set<string>();
  for (const file of paths) {
    if (known.has(resolve(file)))
      throw new TypeError(`The model and each adapter need files of their own, but two of them use ${file}`);
    known.add(resolve(file));
  }
}

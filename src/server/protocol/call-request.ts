// A request for an answer of a model, as every protocol has it.
import type { GenerateOptions, InfillOptions, Message, SamplingOptions } from "../../index.js";

/** A text that the model continues, or one with a gap that it fills. */
export type TextInput =
  | { readonly prompt: string }
  | { readonly prefix: string; readonly suffix: string; readonly extra?: NonNullable<InfillOptions["extra"]> };

/** A request, read. */
export interface CallRequest {
  /** The model that it names; undefined: none. */
  readonly model: string | undefined;
  /** Empty beside `input`. */
  readonly messages: readonly Message[];
  /** The text that the model gets in place of the messages, without its chat template; undefined: the messages. */
  readonly input?: TextInput;
  /** Options of `generate()`. */
  readonly options: GenerateOptions;
  /** Members that a remote model may leave out, by the option that they were translated to. */
  readonly wishes: Readonly<Partial<Record<keyof SamplingOptions, string>>>;
  /** Options that the client has not asked for. A remote model does not receive them. */
  readonly unasked?: GenerateOptions;
  readonly streams: boolean;
  /** The client's word for its own user; undefined: none. */
  readonly user: string | undefined;
  /** Names of the members that have no effect. */
  readonly ignored: readonly string[];
}

/** The texts that the model reads. */
export function textsOf({ messages, input }: CallRequest): string[] {
  if (input === undefined) return messages.map(({ content }) => content);
  if ("prompt" in input) return [input.prompt];
  const extra = (input.extra ?? []).flatMap(({ filename = "", text }) => [filename, text]);
  return [...extra, input.prefix, input.suffix];
}

// Requests for embeddings, and their answers.
import { optionalOneOf, optionalInteger, optionalName, optionalStrings, optionError, wrong } from "../../base/check.js";
import { checkParameters } from "../../base/check-parameters.js";
import { embedChecks } from "../../generated/parameters.js";
import type { EmbedOptions, Embeddings } from "../../index.js";
import { unsupported } from "../http/api-error.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { readUsageOf } from "./usage.js";

/** A request for embeddings. */
export interface EmbeddingsRequest {
  readonly model: string | undefined;
  /** Texts, or arrays of tokens of the model. */
  readonly inputs: readonly string[] | readonly (readonly number[])[];
  readonly options: EmbedOptions;
  readonly isBase64: boolean;
  readonly dimensions: number | undefined;
  readonly ignored: readonly string[];
}

const { pooling, normalize } = embedChecks;
const known = ["model", "input", "encoding_format", "dimensions", "user", "pooling", "normalize"];

/** Errors: `TypeError` with `param`; 400 for unsupported members. */
export function embeddingsRequestOf(given: Readonly<Record<string, unknown>>): EmbeddingsRequest {
  const body = withoutNulls(given);
  const options = checkParameters({ pooling, normalize }, body, "") as EmbedOptions;
  if (options.pooling === "none") throw unsupported("pooling must give one vector a text", "pooling");
  return {
    model: optionalName(body["model"], "model"),
    inputs: inputsOf(body["input"]),
    options,
    isBase64: optionalOneOf(body["encoding_format"], "encoding_format", ["float", "base64"]) === "base64",
    dimensions: optionalInteger(body["dimensions"], "dimensions", 1),
    ignored: ignoredOf(body, known),
  };
}

function inputsOf(input: unknown): EmbeddingsRequest["inputs"] {
  if (typeof input === "string") return inputsOf([input]);
  if (!Array.isArray(input)) throw wrong("input", "a string, an array of strings, or tokens", input);
  if (input.length === 0) throw optionError("input", "input must not be empty");
  const first: unknown = input[0];
  if (typeof first === "number") return [tokensOf(input, "input")];
  if (Array.isArray(first)) return input.map((one: unknown, index) => tokensOf(one, `input[${index}]`));
  if (input.includes("")) throw optionError("input", "input must not have an empty text");
  return optionalStrings(input, "input") ?? [];
}

function tokensOf(tokens: unknown, what: string): readonly number[] {
  if (!Array.isArray(tokens) || tokens.length === 0) throw wrong(what, "an array of tokens that is not empty", tokens);
  return tokens.map((one: unknown, index) => optionalInteger(one ?? null, `${what}[${index}]`, 0) ?? 0);
}

/** The answer. */
export function embeddingsAnswerOf({ embeddings, modelId, tokens }: Embeddings, isBase64: boolean): object {
  const total = tokens.reduce((sum, one) => sum + one, 0);
  const data = embeddings.map((vector, index) => ({
    object: "embedding",
    index,
    embedding: isBase64 ? base64Of(vector) : Array.from(vector),
  }));
  return { object: "list", data, model: modelId, usage: readUsageOf(total) };
}

/** Little-endian 32-bit floats. */
function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}

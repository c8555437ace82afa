// Keeps the keys of each remote model: those that its caller gave, and those that its provider package sends now.
import { isObject } from "../base/check.js";
import type { LanguageModel } from "./language-model.js";
import { secretValues, type SecretValues } from "./secret-members.js";
import { Secrets } from "./secrets.js";

interface Keys {
  readonly given: Secrets;
  /** The keys including those that the provider sent last, by their texts. */
  sent?: { readonly by: string; readonly secrets: Secrets };
}

const known = new WeakMap<object, Keys>();

/** Keeps the keys of a model. */
export function keepKeys(remote: object, values: SecretValues): void {
  known.set(remote, { given: new Secrets(values) });
}

/** The keys of a model that its caller gave. */
export function givenKeys(remote: object): Secrets {
  return known.get(remote)?.given ?? new Secrets({ keys: [], others: [] });
}

/** These, and those that its provider sends now. The provider may take long to return them, or never return. */
export async function keysOf(remote: object, model: LanguageModel): Promise<Secrets> {
  const keys = known.get(remote);
  const sent = await sentBy(model);
  const by = sent.join("\n");
  if (keys === undefined || by === "") return givenKeys(remote);
  if (keys.sent?.by !== by) keys.sent = { by, secrets: keys.given.and({ keys: sent, others: [] }) };
  return keys.sent.secrets;
}

/**
 * The values of the headers in which a provider package sends its keys, if it keeps them where those of the AI SDK do.
 */
async function sentBy(model: LanguageModel): Promise<readonly string[]> {
  try {
    const { config } = model as { readonly config?: { readonly headers?: unknown } };
    const headers: unknown = typeof config?.headers === "function" ? await config.headers() : config?.headers;
    if (!isObject(headers)) return [];
    return secretValues(
      Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === "string"),
    ).keys;
  } catch {
    return []; // the call will fail with the reason
  }
}

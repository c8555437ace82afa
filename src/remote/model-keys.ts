// Keeps the keys of each remote model: those that its caller gave, and those that its provider package sends now.
import { isObject } from "../base/check.js";
import type { LanguageModel } from "./language-model.js";
import { Secrets } from "./secrets.js";

interface Keys {
  readonly given: Secrets;
  /** The keys including those of the provider, by their texts. */
  all?: { readonly by: string; readonly secrets: Secrets };
}

const known = new WeakMap<object, Keys>();

/** Keeps the keys of a model. */
export function keepKeys(remote: object, values: readonly string[]): void {
  known.set(remote, { given: new Secrets(values) });
}

/** The keys of a model. `model`: its language model; undefined: it has not been made. */
export async function keysOf(remote: object, model: LanguageModel | undefined): Promise<Secrets> {
  const keys = known.get(remote) ?? { given: new Secrets([]) };
  const sent = model === undefined ? [] : await sentBy(model);
  const by = sent.join("\n");
  if (keys.all?.by !== by) keys.all = { by, secrets: keys.given.and(sent) };
  return keys.all.secrets;
}

const secretHeaders = /auth|key|token|secret|cookie|credential|password|signature/i;

/**
 * The values of the headers in which a provider package sends its keys, if it keeps them where those of the AI SDK do.
 */
async function sentBy(model: LanguageModel): Promise<readonly string[]> {
  try {
    const { config } = model as { readonly config?: { readonly headers?: unknown } };
    const headers: unknown = typeof config?.headers === "function" ? await config.headers() : config?.headers;
    if (!isObject(headers)) return [];
    return Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && secretHeaders.test(name) ? [value] : [],
    );
  } catch {
    return []; // the call will fail with the reason
  }
}

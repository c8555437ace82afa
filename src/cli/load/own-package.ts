// Modules that the command line loads find this copy of the package. Must not: stand in the way of a copy that a module
// finds by itself.
import nodeModule, { type ResolveFnOutput, type ResolveHook, type ResolveHookContext } from "node:module";

type Next<Found> = (specifier: string, context: ResolveHookContext) => Found;
type SyncResolve = (specifier: string, context: ResolveHookContext, next: Next<ResolveFnOutput>) => ResolveFnOutput;

/** From Node 22.15 on; what older ones have instead warns in newer ones. */
const { registerHooks } = nodeModule as { registerHooks?: (hooks: { resolve: SyncResolve }) => unknown };

let done = false;

/** From now on ES modules anywhere can import `llama-hooks`. */
export function offerOwnPackage(): void {
  if (done) return;
  done = true;
  if (registerHooks === undefined) nodeModule.register(import.meta.url);
  else registerHooks({ resolve: resolveAtOnce });
}

/** The hook of older versions, which load this module on a thread of their own. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    return next(specifier, fromHere(specifier, context, error));
  }
};

const resolveAtOnce: SyncResolve = (specifier, context, next) => {
  try {
    return next(specifier, context);
  } catch (error) {
    return next(specifier, fromHere(specifier, context, error));
  }
};

/** As if this module had asked, when it asked for this package and there was none; otherwise throws the error. */
function fromHere(specifier: string, context: ResolveHookContext, error: unknown): ResolveHookContext {
  const missing = (error as { code?: unknown } | null)?.code === "ERR_MODULE_NOT_FOUND";
  if (!missing || !/^llama-hooks(?:\/|$)/.test(specifier)) throw error;
  return { ...context, parentURL: import.meta.url };
}

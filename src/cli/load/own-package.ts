// Makes this copy of the package available to the modules that the command line loads. A copy that a module finds by
// itself takes precedence.
import nodeModule, { type ResolveFnOutput, type ResolveHook, type ResolveHookContext } from "node:module";

type Next<Found> = (specifier: string, context: ResolveHookContext) => Found;
type SyncResolve = (specifier: string, context: ResolveHookContext, next: Next<ResolveFnOutput>) => ResolveFnOutput;

/** Node 22.15 and later. The older function, nodeModule.register(), prints a warning in newer versions. */
const { registerHooks } = nodeModule as { registerHooks?: (hooks: { resolve: SyncResolve }) => unknown };

let done = false;

/** From now on every ES module can import `llama-hooks`. */
export function offerOwnPackage(): void {
  if (done) return;
  done = true;
  if (registerHooks === undefined) nodeModule.register(import.meta.url);
  else registerHooks({ resolve: resolveAtOnce });
}

/** The resolve hook of older versions, which load this module on a separate thread. */
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

/** If this package was imported and not found, the context resolves it from this module. Otherwise throws the error. */
function fromHere(specifier: string, context: ResolveHookContext, error: unknown): ResolveHookContext {
  const missing = (error as { code?: unknown } | null)?.code === "ERR_MODULE_NOT_FOUND";
  if (!missing || !/^llama-hooks(?:\/|$)/.test(specifier)) throw error;
  return { ...context, parentURL: import.meta.url };
}

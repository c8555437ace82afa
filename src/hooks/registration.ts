// The handles that adding hooks returns.

/** One or more registered hooks. `using` removes them at the end of a block. */
export interface Registration extends Disposable {
  /** True once all of its hooks are removed, by `dispose()`, `hooks.clear()` or otherwise. */
  readonly removed: boolean;
  /**
   * Removes the hooks at once: even a dispatch that is under way no longer calls them. Calls that are running continue,
   * and their answers count. A second call is a no-op.
   */
  dispose(): void;
}

/** One registered hook. */
export interface HookRegistration extends Registration {
  /** The id of the hook; never 0, never reused. A plug-in, which registers its own hooks, has 0. */
  readonly id: number;
}

/** Combines several registrations into one. */
export function groupOf(registrations: readonly Registration[]): Registration {
  const dispose = (): void => {
    for (const registration of registrations) registration.dispose();
  };
  return {
    get removed() {
      return registrations.every((registration) => registration.removed);
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
}

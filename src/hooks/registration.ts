// What adding a hook gives back. Must not: know how hooks run.

/** One or more hooks that were added. `using` removes them at the end of a block. */
export interface Registration extends Disposable {
  /** True once all of it is removed, by `dispose()`, `hooks.clear()` or otherwise. */
  readonly removed: boolean;
  /** Removes it: from the next dispatch on no call begins; one that runs is not waited for. A second call is a no-op. */
  dispose(): void;
}

/** One hook that was added. */
export interface HookRegistration extends Registration {
  /** Never 0 and never used again; 0 stands for a native plug-in that registers its own hooks. */
  readonly id: number;
}

/** Several registrations as one. */
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

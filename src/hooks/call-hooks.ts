// The hooks that belong to a single call: added when it begins, removed when it ends.
import type { HookSet } from "./define-hooks.js";
import { type HookHost, Hooks } from "./hooks.js";

const kinds = { run: 1, generation: 2 } as const;

export class CallHooks {
  readonly #host: HookHost;
  readonly #kind: keyof typeof kinds;
  readonly #sets: readonly HookSet[];
  #scope = 0;
  #hooks: Hooks | undefined;

  constructor(host: HookHost, kind: keyof typeof kinds, sets: readonly HookSet[]) {
    this.#host = host;
    this.#kind = kind;
    this.#sets = sets;
  }

  /** Adds the hooks and returns the number of their scope; 0 if there are none. Errors: those of `hooks.use()`. */
  begin(): number {
    if (this.#sets.length === 0) return 0;
    this.#scope = this.#host.native.openHooks(kinds[this.#kind]);
    this.#hooks = new Hooks(this.#host, () => this.#scope);
    this.#hooks.use(this.#sets);
    return this.#scope;
  }

  /** Removes the hooks. Works even if the call never began. */
  end(): void {
    if (this.#hooks !== undefined) Hooks.ended(this.#hooks);
    if (this.#scope !== 0) this.#host.native.freeHooks(this.#scope);
    this.#scope = 0;
  }
}

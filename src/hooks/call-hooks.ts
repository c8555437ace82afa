// The hooks of one call alone: there from its beginning to its end. Must not: know what the call does.
import type { HookSet } from "./define-hooks.js";
import { type HookHost, Hooks } from "./hooks.js";

const kinds = { run: 1, generation: 2 } as const;

export class CallHooks {
  readonly #host: HookHost;
  readonly #kind: keyof typeof kinds;
  readonly #sets: readonly HookSet[];
  #scope = 0;

  constructor(host: HookHost, kind: keyof typeof kinds, sets: readonly HookSet[]) {
    this.#host = host;
    this.#kind = kind;
    this.#sets = sets;
  }

  /** Adds them and gives the number of their scope, for the call; 0: there are none. Errors: those of `hooks.use()`. */
  begin(): number {
    if (this.#sets.length === 0) return 0;
    this.#scope = this.#host.native.openHooks(kinds[this.#kind]);
    new Hooks(this.#host, () => this.#scope).use(this.#sets);
    return this.#scope;
  }

  /** Removes them, also where the call has not begun. */
  end(): void {
    if (this.#scope !== 0) this.#host.native.freeHooks(this.#scope);
    this.#scope = 0;
  }
}

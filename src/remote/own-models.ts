// The remote models of an engine: the addon knows each by a number.
import type { NativeEngine } from "../native/addon.js";
import { contextOf } from "../native/callers.js";
import { answer } from "./answer.js";
import type { RemoteModel } from "./remote.js";

export class OwnModels {
  readonly #native: NativeEngine;
  readonly #models = new Map<number, { readonly id: string; readonly model: RemoteModel }>();
  #last = 0;
  #serves = false;

  /** Called by the engine only. */
  constructor(native: NativeEngine) {
    this.#native = native;
  }

  /** Returns the number of a model that is about to be added under an id. */
  keep(id: string, model: RemoteModel): number {
    if (!this.#serves) {
      this.#serves = true;
      this.#native.serveModels(
        (number, requestJson, stream, task) => {
          const called = this.#models.get(number)?.model;
          if (called === undefined) throw new Error("the model is gone");
          void contextOf(task)(answer, called, requestJson, stream);
        },
        (number) => this.#models.delete(number),
      );
    }
    this.#models.set(++this.#last, { id, model });
    return this.#last;
  }

  /** The address of the model that is being added, or was added, under this id; undefined if it computes here. */
  addressOf(id: string): string | undefined {
    // A load that is refused, because the id is taken, must not hide the model that has it.
    return this.modelOf(id)?.address;
  }

  /** The model of this id; undefined: the only one. */
  modelOf(id: string | undefined): RemoteModel | undefined {
    const all = [...this.#models.values()];
    return id === undefined ? (all.length === 1 ? all[0]?.model : undefined) : all.find((one) => one.id === id)?.model;
  }

  /** The model was not added. */
  drop(number: number): void {
    this.#models.delete(number);
  }
}

// The names by which requests reach models: those of the engine's models, and aliases.
import type { Engine, ModelInfo } from "../../index.js";
import { ApiError } from "../http/api-error.js";

/** Other names of models, by the name; "*" matches every name that no model has. */
export type Aliases = Readonly<Record<string, string>>;

/** Maximum number of characters of a name; ids of models to download are shorter. */
const longest = 1024;

/** The error for a name that no model has. */
export function noModel(name: string): ApiError {
  const message = `There is no model named ${JSON.stringify(name.slice(0, 200).toWellFormed())}`;
  return new ApiError(404, message, { code: "model_not_found", param: "model" });
}

/** Finds models by name. Must not: load one. */
export class ModelNames {
  readonly #engine: Engine;
  readonly #aliases: ReadonlyMap<string, string>;

  constructor(engine: Engine, aliases: Aliases) {
    this.#engine = engine;
    this.#aliases = new Map(Object.entries(aliases));
  }

  /** The id of the model that a request names; undefined: the only model of the engine. Errors: 404. */
  idOf(name: string | undefined): string | undefined {
    // The engine's error would repeat it, and the log with it.
    if (name !== undefined && name.length > longest) throw noModel(name);
    const alias = name === undefined ? undefined : this.#aliases.get(name);
    if (alias !== undefined) return alias;
    const other = this.#aliases.get("*");
    if (other === undefined) return name;
    return this.#engine.models.list().some(({ modelId }) => modelId === name) ? name : other;
  }

  /** Every name that can be asked for, with its model. */
  list(): readonly (readonly [name: string, model: ModelInfo])[] {
    const models = this.#engine.models.list();
    const own = models.map((model) => [model.modelId, model] as const);
    const other = [...this.#aliases].flatMap(([name, id]) => {
      const model = models.find(({ modelId }) => modelId === id);
      return name === "*" || model === undefined || models.some(({ modelId }) => modelId === name)
        ? []
        : [[name, model] as const];
    });
    return [...own, ...other];
  }
}

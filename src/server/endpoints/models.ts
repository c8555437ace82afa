// GET /v1/models and GET /v1/models/{id}
import type { ModelInfo } from "../../index.js";
import { type Answer, json } from "../http/exchange.js";
import { noModel } from "./model-names.js";
import type { Visit } from "./visit.js";

const created = Math.floor(Date.now() / 1000);

/** Lists the models and aliases. */
export function listModels({ models }: Visit): Answer {
  return json(200, { object: "list", data: models.list().map(([name, model]) => modelOf(name, model)) });
}

/** Describes one model. */
export function oneModel({ models, names }: Visit): Answer {
  const [name = ""] = names;
  const found = models.list().find(([one]) => one === name);
  if (found !== undefined) return json(200, modelOf(...found));
  throw noModel(name);
}

/** Without its file, which is nothing for clients. */
function modelOf(id: string, { contextSize }: ModelInfo): object {
  return { id, object: "model", created, owned_by: "llama-hooks", context_length: contextSize };
}

// Loads OpenTelemetry's API, which may be missing.
import { createRequire } from "node:module";
import type * as api from "@opentelemetry/api";
import { LlamaHooksError } from "../index.js";

export type Api = typeof api;

const name = "@opentelemetry/api";

/** Errors: UNSUPPORTED. */
export function loadApi(): Api {
  try {
    return createRequire(import.meta.url)(name) as Api;
  } catch (cause) {
    throw new LlamaHooksError("UNSUPPORTED", `llama-hooks/otel needs the package ${name}: npm install ${name}`, {
      cause,
    });
  }
}

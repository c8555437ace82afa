// What schema objects (zod and its like) make of arguments that fit their JSON Schema: their own rules, defaults,
// conversions. Must not: know tools, or JSON Schema.
import { isObject, isThenable } from "../base/check.js";

/** What is given to a tool, or why nothing is. */
export type Validated = { readonly value: unknown } | { readonly wrong: string };

/** May answer later. */
export type Validate = (args: unknown) => Validated | Promise<Validated>;

interface Issue {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
}

/** What a schema object says of itself by `~standard.validate` (https://standardschema.dev); undefined: it has none. */
export function standardValidate(schema: unknown): Validate | undefined {
  const standard = isObject(schema) ? schema["~standard"] : undefined;
  const validate = isObject(standard) ? standard["validate"] : undefined;
  if (typeof validate !== "function") return undefined;
  return (args) => {
    const result: unknown = Reflect.apply(validate, standard, [args]);
    return isThenable(result) ? Promise.resolve(result).then(read) : read(result);
  };
}

function read(result: unknown): Validated {
  if (!isObject(result)) throw new TypeError("its validate() gave no result");
  const { issues } = result as { issues?: readonly Issue[] };
  if (issues !== undefined) return { wrong: issues.map(inWords).join("; ") || "it does not fit" };
  if (!("value" in result)) throw new TypeError("its validate() gave neither a value nor issues");
  return { value: result["value"] };
}

/** "/city Too small". A part of a path is a key, or an object that has one. */
function inWords({ message, path = [] }: Issue): string {
  const keys = path.map((part) => `/${String(isObject(part) ? part["key"] : part)}`);
  return `${keys.join("")} ${String(message ?? "is wrong")}`.trim();
}

// Runs the validation of schema objects (zod and others) on arguments that already fit their JSON Schema: own rules,
// defaults, conversions.
import { isObject, isThenable } from "../base/check.js";

/** The value that the tool gets, or the reason why the arguments are invalid. */
export type Validated =
  | {
      /** The value that the tool receives. */
      readonly value: unknown;
    }
  | {
      /** The reason why the arguments are invalid. */
      readonly wrong: string;
    };

/** May be asynchronous. */
export type Validate = (args: unknown) => Validated | Promise<Validated>;

interface Issue {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
}

/** Returns a schema object's `~standard.validate` (https://standardschema.dev). Undefined: it has none. */
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

/** "/city Too small". A path segment is a key, or an object that has a key. */
function inWords({ message, path = [] }: Issue): string {
  const keys = path.map((part) => `/${String(isObject(part) ? part["key"] : part)}`);
  return `${keys.join("")} ${String(message ?? "is wrong")}`.trim();
}

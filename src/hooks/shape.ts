// Converts keys of events and answers between camelCase and snake_case, along the shapes of the table of points.
// Must not: convert keys that a shape does not name; they belong to the user (arguments of tools, schemas).
import type { Shape } from "../generated/points.js";
import { got } from "../base/check.js";
import { toCamel } from "../base/wire.js";

/** A shape prepared for conversion in one direction. */
export interface Converter {
  /** New name and converter of each key. A value without a converter is copied unchanged. */
  readonly keys?: ReadonlyMap<string, { readonly name: string; readonly inner: Converter | undefined }>;
  readonly items?: Converter;
}

/** A value that JSON cannot hold: its path and the reason. */
export class NotJson extends Error {
  readonly path: string;
  readonly why: string;

  constructor(path: string, why: string) {
    super(`${path} ${why}`);
    this.path = path;
    this.why = why;
  }
}

/** The converter from the wire. Undefined: nothing in this shape needs conversion. */
export function fromWireConverter(shape: Shape | undefined): Converter | undefined {
  return converter(shape, (wire) => [wire, toCamel(wire)]);
}

/** The converter to the wire. */
export function toWireConverter(shape: Shape | undefined): Converter | undefined {
  return converter(shape, (wire) => [toCamel(wire), wire]);
}

function converter(shape: Shape | undefined, names: (wire: string) => [string, string]): Converter | undefined {
  if (shape?.i !== undefined) {
    const items = converter(shape.i, names);
    return items && { items };
  }
  if (shape?.p === undefined) return undefined;
  const keys = Object.entries(shape.p).map(([wire, inner]) => {
    const [from, to] = names(wire);
    return [from, { name: to, inner: converter(inner, names) }] as const;
  });
  return { keys: new Map(keys) };
}

/** Converts parsed JSON. */
export function fromWire(by: Converter | undefined, value: unknown): unknown {
  if (by === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return by.items === undefined ? value : value.map((item) => fromWire(by.items, item));
  if (by.keys === undefined) return value;
  const out: Record<string, unknown> = {};
  assignFromWire(by.keys, value as Record<string, unknown>, out);
  return out;
}

/** Converts the keys of `value` into `out`. */
export function assignFromWire(
  keys: NonNullable<Converter["keys"]>,
  value: Readonly<Record<string, unknown>>,
  out: Record<string, unknown>,
): void {
  for (const key in value) {
    const known = keys.get(key);
    if (known === undefined) out[key] = value[key];
    else out[known.name] = known.inner === undefined ? value[key] : fromWire(known.inner, value[key]);
  }
}

/** Converts a user's value and checks that JSON loses nothing of it. Errors: {@link NotJson}, with `path`. */
export function toWire(by: Converter | undefined, given: unknown, path: string, above: unknown[] = []): unknown {
  if (typeof given === "string") return given;
  if (above.includes(given)) throw new NotJson(path, "contains itself");
  const value = plainOf(given);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  above.push(given);
  try {
    if (!Array.isArray(value)) return objectToWire(by, value, path, above);
    return value.map((item: unknown, index) => toWire(by?.items, item, `${path}[${index}]`, above));
  } finally {
    above.pop();
  }
}

function objectToWire(by: Converter | undefined, value: unknown, path: string, above: unknown[]): unknown {
  // A Map, a Promise and the like would be sent as empty objects.
  if (typeof value !== "object" || value === null || Object.prototype.toString.call(value) !== "[object Object]")
    throw new NotJson(path, `is ${describe(value)}, which JSON cannot hold`);
  const wire: Record<string, unknown> = {};
  for (const key of fieldNames(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    const known = by?.keys?.get(key);
    // Most values are texts, for which no path is made.
    const converted = typeof item === "string" ? item : toWire(known?.inner, item, `${path}.${key}`, above);
    set(wire, known?.name ?? key, converted);
  }
  return wire;
}

/** Sets an own property. An assignment to an inherited name, such as `__proto__`, may do something else. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (!(key in object)) object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The names of an object's fields: its own, and those that its classes or prototypes give it, accessors included.
 * Methods are not fields.
 */
export function fieldNames(value: object): readonly string[] {
  const above: unknown = Object.getPrototypeOf(value);
  if (above === Object.prototype || above === null) return Object.keys(value);
  const names = new Set(Object.keys(value));
  for (let from: unknown = above; typeof from === "object" && from !== null; from = Object.getPrototypeOf(from)) {
    if (Object.getPrototypeOf(from) === null) break; // Object.prototype, of any realm
    for (const [name, { enumerable, get }] of Object.entries(Object.getOwnPropertyDescriptors(from)))
      if (enumerable === true || get !== undefined) names.add(name);
  }
  return [...names];
}

/** Applies `toJSON()`: a Date becomes a text. */
function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : value;
}

function describe(value: unknown): string {
  return value === undefined || typeof value === "object" ? got(value) : `${typeof value} ${got(value)}`;
}

// Events as handlers get them. Hot path. Must not: show that some fields are made only when they are read.
import { LlamaHooksError } from "../base/errors.js";
import type { PointName } from "../generated/points.js";
import type { Apart } from "../native/addon.js";
import type { Point } from "./points.js";
import { assignFromWire, type Converter, fromWire } from "./shape.js";

/** The reason why an event's answer is not needed any more. */
export type Why = "deadline" | "cancelled" | "closed";

/** `util.inspect.custom`, without node:util, which the types of a program may lack. */
const inspectCustom: unique symbol = Symbol.for("nodejs.util.inspect.custom");

const reasons = {
  deadline: ["HOOK_TIMEOUT", "The hook passed its deadline"],
  cancelled: ["CANCELLED", "The operation was cancelled"],
  closed: ["CLOSED", "The engine was closed"],
} as const;

/**
 * An event. `signal` is a getter on the prototype: copies of the event omit it, and it costs nothing unless it is read.
 */
export class Event {
  readonly point: PointName;
  #controller: AbortController | undefined;
  #over: Why | undefined;

  constructor(point: PointName) {
    this.point = point;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over !== undefined) this.#abort(this.#over);
    return this.#controller.signal;
  }

  static end(event: Event, why: Why): void {
    event.#over = why;
    if (event.#controller !== undefined) event.#abort(why);
  }

  /** Prints values in place of accessors. */
  [inspectCustom](): object {
    const values: object = { ...this }; // reads all fields
    return Object.isFrozen(this) ? Object.assign(Object.create(Object.getPrototypeOf(this) as object), values) : this;
  }

  #abort(why: Why): void {
    const [code, message] = reasons[why];
    if (this.#controller?.signal.aborted === false) this.#controller.abort(new LlamaHooksError(code, message));
  }
}

/** Converts the engine's context, and the fields that stand apart from it, to the event that a handler gets. */
export function eventOf(point: Point, json: string, apart?: Apart): Event {
  const event = new Event(point.info.tsName);
  assignFromWire(point.event, JSON.parse(json), event as unknown as Record<string, unknown>);
  if (apart !== undefined)
    for (let at = 0; at < apart.length; at += 2) {
      const known = point.event.get(apart[at] as string);
      readOnDemand(event, known?.name ?? (apart[at] as string), apart[at + 1] as string, known?.inner);
    }
  return event;
}

/** Makes a field of the event an accessor, which becomes a plain value when it is first read or assigned to. */
function readOnDemand(event: Event, field: string, json: string, converter: Converter | undefined): void {
  let text: string | undefined = json;
  let value: unknown;
  const isHere = (): boolean => Object.getOwnPropertyDescriptor(event, field)?.get === get;
  const get = (): unknown => {
    if (text === undefined) return value; // of a frozen event
    value = fromWire(converter, JSON.parse(text));
    text = undefined;
    if (isHere()) become(event, field, value);
    return value;
  };
  function set(this: object, given: unknown): void {
    if (become(this, field, given)) return;
    if (Object.isFrozen(this)) throw new TypeError(`Cannot assign to read only property '${field}' of an event`);
    [text, value] = [undefined, given]; // of a sealed event
  }
  Object.defineProperty(event, field, { get, set, enumerable: true, configurable: true });
}

/** Returns false if the object does not allow it. */
function become(object: object, field: string, value: unknown): boolean {
  return Reflect.defineProperty(object, field, { value, writable: true, enumerable: true, configurable: true });
}

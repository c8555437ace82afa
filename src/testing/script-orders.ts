// Writes a call's arguments in the order of its tool's schema, because llama.cpp admits no other. A request brings the
// schema.
import type { ScriptMessage, ScriptReply, ScriptToolCall } from "./script-reply.js";

/** A call with more arguments is written in its own order only. */
const mostArgs = 4;
/** The orders of one reply. */
const mostOrders = 24;

/** The calls of a reply that can be written in several orders. */
export interface Orders {
  readonly calls: readonly { readonly name: string; readonly keys: readonly string[] }[];
  /** The reply in each order but its own. `order`: the places of the keys, one digit each, the calls joined by "-". */
  readonly others: readonly { readonly order: string; readonly reply: ScriptMessage }[];
}

export function ordersOf(reply: ScriptReply): Orders | undefined {
  if (typeof reply === "string" || "pieces" in reply) return undefined;
  const several = (reply.toolCalls ?? []).filter((call) => keysOf(call).length > 1);
  if (several.length === 0 || several.some((call) => keysOf(call).length > mostArgs)) return undefined;
  const orders = several.reduce<readonly (readonly (readonly number[])[])[]>(
    (all, call) => all.flatMap((before) => permutations(keysOf(call).length).map((order) => [...before, order])),
    [[]],
  );
  if (orders.length > mostOrders) return undefined;
  return {
    calls: several.map((call) => ({ name: call.name, keys: keysOf(call) })),
    others: orders.slice(1).map((order) => ({
      order: order.map((places) => places.join("")).join("-"),
      reply: {
        ...reply,
        toolCalls: (reply.toolCalls ?? []).map((call) => reordered(call, order[several.indexOf(call)])),
      },
    })),
  };
}

/**
 * Jinja that sets `state.orders`: for each of `all` the order that the request's tools require, after ":"; empty if it
 * is the reply's own order, or if a tool is missing or has other arguments.
 */
export function ordersTemplate(all: readonly Orders[]): string {
  const signatures = all.map(({ calls }) => calls.map(({ name, keys }) => [name, keys]));
  return `
{%- set state.orders = [''] %}
{%- for calls in ${jinja(signatures)} %}
    {%- set wanted = namespace(order='', own='', missing=0) %}
    {%- for call in calls %}
        {%- set wanted.order = wanted.order + ('' if loop.first else '-') %}
        {%- set wanted.own = wanted.own + ('' if loop.first else '-') %}
        {%- for key in call[1] %}
            {%- set wanted.own = wanted.own ~ loop.index0 %}
            {%- set wanted.missing = wanted.missing + 1 %}
        {%- endfor %}
        {%- for tool in tools or [] %}
            {%- if tool.function.name == call[0] and tool.function.parameters and tool.function.parameters.properties %}
                {%- set required = tool.function.parameters.required or [] %}
                {%- for now in [true, false] %}
                    {%- for name, schema in tool.function.parameters.properties.items() %}
                        {%- for key in call[1] %}
                            {%- if key == name and (name in required) == now %}
                                {%- set wanted.order = wanted.order ~ loop.index0 %}
                                {%- set wanted.missing = wanted.missing - 1 %}
                            {%- endif %}
                        {%- endfor %}
                    {%- endfor %}
                {%- endfor %}
            {%- endif %}
        {%- endfor %}
    {%- endfor %}
    {%- set state.orders = state.orders + ['' if wanted.missing or wanted.order == wanted.own else ':' + wanted.order] %}
{%- endfor %}`;
}

function keysOf({ args }: ScriptToolCall): string[] {
  return Object.keys(args).filter((key) => args[key] !== undefined);
}

function reordered(call: ScriptToolCall, order: readonly number[] | undefined): ScriptToolCall {
  if (order === undefined) return call;
  const keys = keysOf(call);
  const args = order.map((place) => keys[place] ?? "").map((key) => [key, call.args[key]] as const);
  return { name: call.name, args: Object.fromEntries(args) };
}

/** The first order is the identity. */
function permutations(count: number): number[][] {
  const choose = (left: readonly number[]): number[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((one) => choose(left.filter((other) => other !== one)).map((rest) => [one, ...rest]));
  return choose(Array.from({ length: count }, (_, index) => index));
}

/** A Jinja literal of texts and lists. */
export function jinja(value: string | readonly unknown[]): string {
  if (typeof value !== "string")
    return `[${value.map((item) => jinja(item as string | readonly unknown[])).join(", ")}]`;
  const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return `'${value.replace(/[\\'\n\r\t]/g, (character) => escapes[character] ?? character)}'`;
}

// Tools with `defer_loading`: the model sees them when the conversation names them.
import { isObject, optionalBoolean } from "../../base/check.js";

type Body = Readonly<Record<string, unknown>>;

/** Places of the tools that the model does not see yet. Errors: `TypeError` with `param`. */
export function deferredTools({ tools, messages, tool_choice: choice }: Body): ReadonlySet<number> {
  const all = Array.isArray(tools) ? (tools as unknown[]).map((tool) => (isObject(tool) ? tool : {})) : [];
  const isDeferred = all.map((tool, index) =>
    optionalBoolean(tool["defer_loading"] ?? undefined, `tools[${index}].defer_loading`),
  );
  if (!isDeferred.includes(true)) return new Set();
  const isOwn = (tool: Body): boolean => (tool["type"] ?? "custom") === "custom";
  // A search that the provider runs itself is missing here, and a model without any tool finds none.
  const searches = all.some((tool) => !isOwn(tool) && String(tool["type"]).startsWith("tool_search_"));
  if (searches || !all.some((tool, index) => isOwn(tool) && isDeferred[index] !== true)) return new Set();
  const known = new Set([...namesIn(messages), ...(isObject(choice) ? [choice["name"]] : [])]);
  return new Set([...all.keys()].filter((index) => isDeferred[index] === true && !known.has(all[index]?.["name"])));
}

/** The names of tools that messages refer to, or that have been called. */
function namesIn(messages: unknown): unknown[] {
  if (!Array.isArray(messages)) return [];
  return (messages as unknown[]).flatMap((part) => {
    if (!isObject(part)) return [];
    if (part["type"] === "tool_reference") return [part["tool_name"]];
    return part["type"] === "tool_use" ? [part["name"]] : namesIn(part["content"]);
  });
}

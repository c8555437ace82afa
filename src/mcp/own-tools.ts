// Tools with which the model reads a server's resources and prompts.
import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/client";
import { tool, type Tool, type ToolContext } from "../index.js";
import type { CallOptions } from "./calls.js";
import { blockText, details, line, resourceText } from "./content.js";
import { toolName } from "./names.js";
import { type Server, settings } from "./server-tools.js";

const readOnly = { readOnlyHint: true };
const cursor = { type: "string", description: "Where to go on; from the end of the page before." } as const;
const paged = { type: "object", properties: { cursor } } as const;

/** The tools that the options ask for. */
export function ownTools(server: Server): Tool[] {
  return [
    ...(server.setup.resources ? resourceTools(server) : []),
    ...(server.setup.prompts ? promptTools(server) : []),
  ];
}

/** The model asks for each page, so an endless list does not cause an endless loop. */
function page(entries: readonly string[], next: string | undefined, what: string): string {
  const list = entries.length === 0 ? `There are no ${what}.` : entries.join("\n");
  return next === undefined ? list : `${list}\n[more: call this tool with cursor ${JSON.stringify(next)}]`;
}

function resourceTools({ client, setup, calls }: Server): Tool[] {
  const asked = <T>(context: ToolContext, request: (options: CallOptions) => Promise<T>): Promise<T> =>
    calls.run(context, "did not answer", request);
  const entry = (uri: string, of: Resource | ResourceTemplateType): string =>
    `${line(uri)} ${JSON.stringify(of.title ?? of.name)}${details(of)}`;
  const list = tool({
    name: toolName(setup.prefix, "list_resources"),
    description:
      "Lists the resources that the server has, one page at a time: URI, name, type and description. With templates: " +
      "the URI templates of further resources.",
    parameters: { type: "object", properties: { cursor, templates: { type: "boolean" } } },
    ...settings(setup, readOnly),
    run: async (args, context) => {
      const params = args.cursor === undefined ? {} : { cursor: args.cursor };
      if (args.templates === true) {
        const request = { method: "resources/templates/list", params } as const;
        const { resourceTemplates, nextCursor } = await asked(context, (options) => client.request(request, options));
        return page(
          resourceTemplates.map((one) => entry(one.uriTemplate, one)),
          nextCursor,
          "templates",
        );
      }
      const request = { method: "resources/list", params } as const;
      const { resources, nextCursor } = await asked(context, (options) => client.request(request, options));
      return page(
        resources.map((one) => entry(one.uri, one)),
        nextCursor,
        "resources",
      );
    },
  });
  const read = tool({
    name: toolName(setup.prefix, "read_resource"),
    description: "Reads a resource of the server.",
    parameters: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    ...settings(setup, readOnly),
    run: async ({ uri }, context) => {
      const { contents } = await asked(context, (options) =>
        client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
      );
      const text = contents.map(resourceText).join("\n");
      return { text, ...(contents.some((one) => "blob" in one) && { parts: contents }) };
    },
  });
  return [list, read] as Tool[];
}

function promptTools({ client, setup, calls }: Server): Tool[] {
  const entry = ({ name, description, arguments: args = [] }: Prompt): string => {
    const takes = args.map((one) => `${line(one.name)}${one.required === true ? "" : "?"}`).join(", ");
    return `${line(name)}(${takes})${details({ description })}`;
  };
  const list = tool({
    name: toolName(setup.prefix, "list_prompts"),
    description: "Lists the prompts that the server has, one page at a time: name, arguments and description.",
    parameters: paged,
    ...settings(setup, readOnly),
    run: async (args, context) => {
      const params = args.cursor === undefined ? {} : { cursor: args.cursor };
      const { prompts, nextCursor } = await calls.run(context, "did not answer", (options) =>
        client.request({ method: "prompts/list", params }, options),
      );
      return page(prompts.map(entry), nextCursor, "prompts");
    },
  });
  const get = tool({
    name: toolName(setup.prefix, "get_prompt"),
    description: "Gets a prompt of the server, with its arguments filled in.",
    parameters: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object", additionalProperties: { type: "string" } } },
      required: ["name"],
    },
    ...settings(setup, readOnly),
    run: async ({ name, arguments: args }, context) => {
      const params = { name, ...(args !== undefined && { arguments: args as Record<string, string> }) };
      const { messages } = await calls.run(context, "did not answer", (options) => client.getPrompt(params, options));
      const text = messages.map(({ role, content }) => `${role}: ${blockText(content)}`).join("\n");
      const others = messages.map(({ content }) => content).filter(({ type }) => type !== "text");
      return { text, ...(others.length > 0 && { parts: others }) };
    },
  });
  return [list, get] as Tool[];
}

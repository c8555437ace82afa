// The chat templates of generated models: ChatML with reasoning, and tool calls in the Hermes format.
// Must not: use wording that llama.cpp recognises as a family with a special parser; its automatic parser is wanted.

import { jinja, type Orders, ordersTemplate } from "./script-orders.js";

/**
 * The end of the generation prompt of `script` after `index` assistant messages. `order`: of the arguments; empty: the
 * reply's own.
 */
export function replyMarker(script: number, index: number, order = ""): string {
  return `<|reply:${script}.${index}${order && `:${order}`}|>`;
}

export interface TemplateScript {
  /** Undefined for the default script. */
  readonly when: string | undefined;
  /** The orders in which the calls of each reply can be written. */
  readonly replies: readonly (Orders | undefined)[];
}

/** ChatML for any model. */
export const chatMlTemplate = template("", { marker: "", chosen: "", count: "" });

/**
 * ChatML with a marker before each reply. Replies in the history have the marker, too, so that the first turn is a
 * prefix of the second turn's prompt, as with an ordinary model.
 */
export function scriptTemplate(scripts: readonly TemplateScript[]): string {
  const choose = scripts
    .map(({ when }, number) =>
      when === undefined
        ? ""
        : `{%- if state.script == 0 and ${jinja(when)} in message.content %}{%- set state.script = ${number} %}{%- endif %}`,
    )
    .join("");
  const orders = scripts.flatMap(({ replies }) => replies.filter((one) => one !== undefined));
  const which = scripts.map(
    ({ replies }) => `[${replies.map((one) => (one ? orders.indexOf(one) + 1 : 0)).join(", ")}]`,
  );
  // If there is only one order, the template is as short as possible.
  const order = (script: string, index: string): string =>
    orders.length === 0 ? "" : ` ~ state.orders[which[${script}][${index}]]`;
  const lastIndexes = scripts.map(({ replies }) => replies.length - 1).join(", ");
  const setup = `
{%- set last = [${lastIndexes}] %}
{%- set state = namespace(script=0, replies=0) %}${orders.length === 0 ? "" : `\n{%- set which = [${which.join(", ")}] %}${ordersTemplate(orders)}`}
{%- for message in messages %}
    {%- if (message.role == 'system' or message.role == 'user') and message.content is string %}${choose}{%- endif %}
{%- endfor %}`;
  const marker = `
    {%- set index = state.replies if state.replies < last[state.script] else last[state.script] %}
    {{- '<|reply:' ~ state.script ~ '.' ~ index${order("state.script", "index")} ~ '|>' }}`;
  // A request may choose its reply: `script_reply` in its chatTemplateArgs takes precedence over the count.
  const chosen = `
    {%- if script_reply is defined %}
        {{- '<|reply:0.' ~ script_reply${order("0", "script_reply")} ~ '|>' }}
    {%- else %}${marker}
    {%- endif %}`;
  return template(setup, { marker, chosen, count: "{%- set state.replies = state.replies + 1 %}" });
}

/**
 * A chat template with a marker in front that counts the assistant messages. The marker is at the very start, with and
 * without a generation prompt, so that it does not change what llama.cpp learns about the template by comparing
 * prompts.
 */
export function markedTemplate(chatTemplate: string, lastIndex: number): string {
  return `
{%- set script = namespace(reply=0) %}
{%- for message in messages %}
    {%- if message.role == 'assistant' and script.reply < ${lastIndex} %}{%- set script.reply = script.reply + 1 %}{%- endif %}
{%- endfor %}
{{- '<|reply:0.' ~ script.reply ~ '|>' }}
{%- set script = none %}
${chatTemplate}`.trimStart();
}

/** `marker` goes before replies in the history, `chosen` before the next reply. */
interface Marks {
  readonly marker: string;
  readonly chosen: string;
  readonly count: string;
}

function template(setup: string, { marker, chosen, count }: Marks): string {
  return `${setup}
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages and messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- 'Functions you may call, one JSON schema a line:\\n<tools>\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson }}
        {{- '\\n' }}
    {%- endfor %}
    {{- '</tools>\\nCall one by writing\\n<tool_call>\\n{"name": NAME, "arguments": ARGUMENTS}\\n</tool_call><|im_end|>\\n' }}
{%- elif messages and messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>assistant\\n' }}${marker}
        ${count}
        {%- if message.reasoning_content %}
            {{- '<think>\\n' + message.reasoning_content + '</think>\\n\\n' }}
        {%- endif %}
        {%- if message.content %}
            {{- message.content }}
        {%- endif %}
        {%- for call in message.tool_calls or [] %}
            {%- if not loop.first %}
                {{- '\\n' }}
            {%- endif %}
            {{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {%- if call.function.arguments is string %}
                {{- call.function.arguments }}
            {%- else %}
                {{- call.function.arguments | tojson }}
            {%- endif %}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}${chosen}
{%- endif %}`.trimStart();
}

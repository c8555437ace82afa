// docs/internals/families.md says for each chat template of llama.cpp what was tried: it is written by this test
// (`npx vitest run --mode long test/templates/families.long.test.ts -u`), and compared by it.
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { families } from "../clients/matrix/families.js";
import { openEngine } from "../support/engine.js";
import { faultsOf, withoutCalls } from "../support/templates/known-templates.js";
import { shapes, weather } from "../support/templates/shapes.js";
import { templateNames, templateSource } from "../support/templates/template-files.js";

const page = fileURLToPath(new URL("../../docs/internals/families.md", import.meta.url));
const head = `# What was tried, by family

For each chat template that comes with llama.cpp, with script models (files that llama.cpp runs like any other, and that
write a given answer). Written by \`test/templates/families.long.test.ts\`, which fails where this page is not true.

- **template**: \`test/templates/fit\` renders conversations of ${Object.keys(shapes).length} shapes, with and without
  tools, and finds every word in the prompt. \`test/templates/jinja\` lists what llama.cpp's interpreter renders
  differently from Jinja2.
- **calls**: a call, several, one beside a text, required and named ones, and whole runs with vetoes and changed results
  (\`test/templates/{calls,choices,deltas,matrix,sessions}\`). "no": a call with tools is refused.
- **earlier reasoning**: the prompt keeps it, if \`preserveReasoning\` is not false (\`test/templates/preserve-reasoning\`).
- **continued**: a last message of the assistant is continued (\`test/templates/continue\`).
- **clients**: \`test/clients/matrix\` tried them on it: the libraries of OpenAI and Anthropic, and what builds on them, in
  JavaScript and Python; Claude Code, Codex and opencode.
- **history**: what the engine folds, of [the traits](../concepts/templates.md) that conversations may have.
- **wrong**: what llama.cpp misreads, or does not let a model write; see [its page](llama-cpp.md).

Claude Code, Codex and opencode got a first prompt, reasoning, a tool and several on nine families, with their long
texts shortened, and compacted a conversation on all nine: Claude Code by \`/compact\`, the others by themselves at their
limit. Claude Code also found a tool by \`ToolSearch\` there, and sent a cut-off answer back; opencode sent one back on
Qwen3.5, gpt-oss and Mistral-Small-3.2. pydantic-ai asked again for a call that its tool refused, and for an answer that
failed its validation. Not tried: a cut-off answer with Codex, which gives it up.

Real weights were tried of SmolLM2 and Gemma 3: see [reliability](../reliability.md).
`;

const thought: readonly Message[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello.", reasoning: "Wthought." },
  { role: "user", content: "And?" },
];
const withClients: readonly string[] = families;
const yes = (is: boolean): string => (is ? "yes" : "no");

async function rowOf(name: string): Promise<string> {
  const engine = await openEngine(["Fine."], { chatTemplate: templateSource(name) });
  const { models } = engine;
  const { features } = models.describe("default");
  for (const messages of Object.values(shapes)) {
    for (const tools of name in withoutCalls ? [[]] : [[], [weather]])
      await models.renderPrompt(undefined, { messages, tools });
  }
  const { folds } = models.describe("default");
  const isKept = (await models.renderPrompt(undefined, { messages: thought })).includes("Wthought");
  await engine.close();
  const folded = folds.map((fold) => `\`${fold}\``).join(", ");
  const marks = [!(name in withoutCalls), isKept, features.continueFinalMessage, withClients.includes(name)].map(yes);
  return `| ${[name, ...marks, folded, faultsOf(name).join("; ").replaceAll(/[<|]/g, "\\$&")].join(" | ")} |`;
}

test("the page of families is true", async () => {
  const rows = [];
  for (const name of templateNames) rows.push(await rowOf(name));
  const columns = ["template", "calls", "earlier reasoning", "continued", "clients", "history", "wrong"];
  const table = [`| ${columns.join(" | ")} |`, `|${" --- |".repeat(columns.length)}`, ...rows].join("\n");
  const text = await format(`${head}\n${table}\n`, { parser: "markdown", printWidth: 120, proseWrap: "always" });
  await expect(text).toMatchFileSnapshot(page);
});

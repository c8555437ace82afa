// docs/internals/families.md says for each chat template of llama.cpp what was tried: it is written by this test
// (`npx vitest run --mode long test/templates/families.long.test.ts -u`), and compared by it.
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { withoutCalls } from "../support/templates/known-templates.js";
import { shapes, weather } from "../support/templates/shapes.js";
import { templateNames, templateSource } from "../support/templates/template-files.js";

const page = fileURLToPath(new URL("../../docs/internals/families.md", import.meta.url));
const head = `# What was tried, by family

For each chat template that comes with llama.cpp, with script models (files that llama.cpp runs like any other, and that
write a given answer). Written by \`test/templates/families.long.test.ts\`, which fails where this page is not true.

- **template**: conversations of ${Object.keys(shapes).length} shapes, with and without tools, are rendered with every word
  (\`test/templates/fit\`); what llama.cpp's interpreter renders differently from Jinja2 is in \`test/templates/jinja\`.
- **calls**: a call, several, one beside a text, required and named ones, and whole runs with vetoes and changed results
  (\`test/templates/{calls,choices,deltas,matrix,sessions}\`). "no": the template has no form for tools that llama.cpp knows,
  and a call with tools is refused.
- **earlier reasoning**: the prompt keeps it, if \`preserveReasoning\` is not false (\`test/templates/preserve-reasoning\`).
- **continued**: a last message of the assistant is continued (\`test/templates/continue\`).
- **history**: what the engine folds, of [the traits](../concepts/templates.md) that conversations may have.

Clients (24 libraries, test/clients/matrix) were tried on Qwen3.5, Qwen3-Coder, gpt-oss, Mistral-Small-3.2, Llama 3.3,
Gemma 4, GLM-4.7-Flash, DeepSeek-V3.2 and MiniMax-M2; real weights on SmolLM2 and Gemma 3, see
[reliability](../reliability.md). [Its own page](llama-cpp.md) says what is wrong in llama.cpp.
`;

const thought: readonly Message[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello.", reasoning: "Wthought." },
  { role: "user", content: "And?" },
];
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
  return `| ${[name, yes(!(name in withoutCalls)), yes(isKept), yes(features.continueFinalMessage), folded].join(" | ")} |`;
}

test("the page of families is true", async () => {
  const rows = [];
  for (const name of templateNames) rows.push(await rowOf(name));
  const columns = ["template", "calls", "earlier reasoning", "continued", "history"];
  const table = [`| ${columns.join(" | ")} |`, `|${" --- |".repeat(columns.length)}`, ...rows].join("\n");
  const text = await format(`${head}\n${table}\n`, { parser: "markdown", printWidth: 120, proseWrap: "always" });
  await expect(text).toMatchFileSnapshot(page);
});

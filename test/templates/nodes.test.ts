// Templates whose nodes the engine runs itself print as Jinja2 does, or as llama.cpp.
import { expect, test } from "vitest";
import { openEngine } from "../support/engine.js";

const each = (body: string): string => `{% for x in [1, 2] %}${body}{% endfor %}`;
const templates: Readonly<Record<string, readonly [template: string, prompt: string]>> = {
  "a list is printed as it is then": [`{% set a = [] %}${each("{% set _ = a.append(x) %}{{ a }}")}`, "112"],
  "a list that later holds itself": ["{% set l = [] %}{{ l }}{% set _ = l.append(l) %}done", "done"],
  "a filtered list that later holds itself": [
    "{% set l = ['x'] %}{% filter upper %}{{ l }}{% set _ = l.append(l) %}{% endfilter %}",
    "X",
  ],
  "a member that no loop has": [
    `{% set loop = {'foo': 7} %}${each("{{ loop.foo }}|{{ loop.items is defined }}")}`,
    "|False|False",
  ],
  "loop of an outer loop": [
    "{% for loop in [{'n': 'a', 'parts': [1]}] %}{% for x in loop.parts %}[{{ loop.n }}]{% endfor %}{% endfor %}",
    "[]",
  ],
  "loop as a whole": [each("{% set l = loop %}{{ l.index }}{{ 'last' in l }}"), "1True2True"],
  "a macro sees where it is called": [
    `{% set y = 1 %}{% macro f(a, b=y) %}{{ a }}{{ b }}{{ x }}{% set y = 9 %}{% endmacro %}${each("{% set y = 5 %}{{ f(x) }},")}{{ y }}`,
    "151,252,1",
  ],
  "a search that ends": [
    "{% set n = namespace(i=0) %}{% for x in range(9) %}{% if n.i < 3 %}{% set n.i = n.i + 1 %}{{ x }}{% endif %}{% endfor %}",
    "012",
  ],
  "a loop that finds late": [
    "{% set n = namespace(f=0) %}{% for x in [1, 1, 2, 1] %}{% if x == 2 %}{% set n.f = loop.index %}{% endif %}{% endfor %}{{ n.f }}",
    "3",
  ],
  "continue, and else": [each("{% continue %}x").replace("{% endfor %}", "{% else %}none{% endfor %}"), "none"],
};

test("a template prints as with Jinja2 or llama.cpp", async () => {
  for (const [name, [chatTemplate, prompt]] of Object.entries(templates)) {
    const engine = await openEngine({ replies: ["Fine."], chatTemplate });
    // Arguments have llama.cpp render it, which runs it in another way.
    for (const chatTemplateArgs of [{}, { other: 1 }]) {
      const request = { messages: [{ role: "user", content: "Hi" } as const], chatTemplateArgs };
      const made = engine.models.renderPrompt(undefined, request);
      expect((await made).replaceAll(/<\|reply:[\d.]+\|>/g, ""), name).toBe(prompt); // which script models read
    }
  }
});

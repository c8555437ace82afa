// A template's loops run only what can differ from the renderings before. The prompt is that of a first rendering.
import { expect, test } from "vitest";
import type { Engine, Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { chosenTemplates, templateSource } from "../support/templates/template-files.js";

const over = (body: string): string => `{% for m in messages %}${body}{% endfor %}`;
const said = "{{ m.role[0] }}:{{ m.content }};";

const templates: Readonly<Record<string, string>> = {
  "reads the message alone": over(said),
  "reads how many follow": over(`${said}{% if loop.last %}last{% endif %}{{ loop.revindex }}/{{ loop.length }}`),
  "reads its neighbours": over("{{ loop.previtem.content }}<{{ m.content }}>{{ loop.nextitem.content }}"),
  "reads others by place": over(
    `${said}{{ messages[loop.index].role }}{{ messages[loop.index0 - 1].role }}{{ messages[-1].content }}`,
  ),
  "looks for a later message": over(
    `{% set n = namespace(found=false) %}{% for later in messages[loop.index:] %}{% if later.content == 'seek' %}{% set n.found = true %}{% endif %}{% endfor %}${said}{{ n.found }}`,
  ),
  "counts later messages": over(
    `{% set n = namespace(count=0) %}{% for later in messages[loop.index:] %}{% if later.role == 'user' %}{% set n.count = n.count + 1 %}{% endif %}{% endfor %}${said}{{ n.count }}`,
  ),
  "a search that passes a variable on": over(
    `{% set n = namespace(text='') %}{% for later in messages %}{% if last is defined %}{% set n.text = last %}{% endif %}{% set last = later.content %}{% endfor %}${said}{{ n.text }}`,
  ),
  "searches by places": over(
    `{% set n = namespace(found=none) %}{% for k in range(loop.index, messages|length) %}{% if n.found is none and messages[k].role == 'user' %}{% set n.found = k %}{% endif %}{% endfor %}${said}{{ n.found }}`,
  ),
  "compares with an earlier loop": `{% set n = namespace(last=-1) %}${over("{% if m.role == 'user' %}{% set n.last = loop.index0 %}{% endif %}")}${over(`${said}{{ loop.index0 > n.last - 3 }}`)}`,
  "counts over iterations": `{% set n = namespace(users=0) %}${over(`{% if m.role == 'user' %}{% set n.users = n.users + 1 %}{% endif %}${said}{{ n.users }}`)}={{ n.users }}`,
  "a variable that the next iteration sees": over(
    `${said}{{ before|default('-') }}{% set before = m.content %}{% set pair = [before, loop.index] %}{{ pair[1] }}`,
  ),
  "a list over iterations": `{% set all = [] %}${over(`{% set _ = all.append(m.content) %}${said}{{ all|length }}`)}{{ all|join('+') }}`,
  "an object in a list": `{% set n = namespace(x=0) %}{% set held = [n] %}${over("{% set n.x = n.x + 1 %}{{ held[0].x }}{{ held[0].x + n.x }},")}`,
  "two names of an object": `{% set a = namespace(x=0) %}{% set b = a %}${over("{% set a.x = a.x + 1 %}{{ b.x }}")}{{ b.x }}`,
  "an object that an iteration makes": `{% set n = namespace(kept=none) %}${over("{% if loop.first %}{% set n.kept = namespace(x=0) %}{% endif %}{% set kept = n.kept %}{% set kept.x = kept.x + 1 %}{{ n.kept.x }}")}`,
  "a message that changes": over("{% set m.content = m.content + '!' %}{{ m.content }}"),
  "a call in a message that changes": `${over("{% set m.mark = loop.index %}")}${over("{{ m.mark }}{{ m.content }}")}`,
  "a macro, and its caller": `{% macro put(x) %}[{{ caller() }}{{ x }}{{ n.x }}]{% endmacro %}{% set n = namespace(x=0) %}${over("{% set n.x = loop.index %}{% call put(m.role) %}{{ m.content }}{% endcall %}")}`,
  "continue and break": over(
    `{% if m.role == 'assistant' %}{% continue %}{% endif %}{% if m.content == 'seek' %}{% break %}{% endif %}${said}`,
  ),
  "the other way": `{% set n = namespace(done=false) %}{% for m in messages[::-1] %}{% if not n.done and m.role == 'user' %}{{ m.content }}{% set n.done = m.content == 'seek' %}{% endif %}{% endfor %}`,
  "a number for the place": `{% set n = namespace(on=true, at=-1) %}{% for m in messages[::-1] %}{% set at = messages|length - 1 - loop.index0 %}{% if n.on and m.content == 'seek' %}{% set n.at = at %}{% set n.on = false %}{% endif %}{% endfor %}{{ n.at }}${over(`{% set k = loop.index0 %}{% if k > n.at %}${said}{% endif %}`)}`,
  "a number for the place, read later": over("{% set k = loop.index %}{% if k == 4 %}{{ m.content }}{% endif %}"),
  "a length of the number for the place": `{{ messages|length }}${over("{% set k = k|length %}{% if k == 4 %}{{ k }}{% endif %}")}`,
  "names of constants": `{% set true = messages|length > 5 %}${over(`${said}{% if true %}long{% endif %}`)}`,
  "an inner loop with an outer variable": over(
    `{% for c in m.content %}{% if loop.first %}{{ c }}{{ messages|length }}{% endif %}{% endfor %}`,
  ),
  "an object of one iteration that another replaces": `{% set ns = namespace(c=none) %}${over("{{ m.content }}{% if ns.c %}C{% endif %}{% if m.role == 'user' %}{% set ns.c = [1] %}{% else %}{% set ns.c = none %}{% endif %}")}`,
  "an object whose members later iterations change": over(
    "{% if loop.first %}{% set ns = namespace(n=0) %}{% endif %}{{ ns.n }},{% set ns.n = ns.n + 1 %}",
  ),
  "tools that come later": over(`${said}{% for t in tools %}{{ t.function.name }}{% endfor %}`),
  "a loop whose variable hides its list": over(`${said}{% for tools in tools %}{{ tools.function.name }}{% endfor %}`),
  "another name of the message": `{% set last = messages[-1].content %}{% macro f(m) %}{% if m.content == last %}L{% endif %}{{ m.content }}{% endmacro %}{% for message in messages %}{{ f(message) }}{% set k = message %}{% if k.content == last %}K{% endif %}{% endfor %}`,
  "a search that counts for all": `{% set ns = namespace(n=0) %}${over("{% for x in messages[loop.index:] %}{% if x.content == 'seek' %}{% set ns.n = ns.n + 1 %}{% endif %}{% endfor %}{{ m.content }}")}{{ ns.n }}`,
  "the end of a list": over(
    `{% for x in messages[-2:] %}{% if x.role == 'user' %}{{ x.content }}{% endif %}{% endfor %};{% for x in messages[6:] %}{% if loop.first and x.role == 'user' %}X{% endif %}{% endfor %}`,
  ),
  "a list that holds itself": `{% macro f(y) %}{% for z in [y, 1, 2, 3] %}.{% endfor %}{% endmacro %}{% set a = [] %}{% set _ = a.append(a) %}{% set b = [] %}{% set _ = b.append(b) %}{{ f(a) }}{{ f(b) }}${over(said)}`,
  "items that the template made": `{% set l = [] %}${over("{% set _ = l.append([[m.content]] if m.content == 'seek' else []) %}")}{% for x in l %}{{ x|length }}{% endfor %}`,
  "items that the template changes": `{% set l = [] %}${over("{% set _ = l.append({'a': messages|length}) %}")}{% for x in l %}{{ x.a }}{% endfor %}{% for x in l %}{% set x.a = 5 %}{% endfor %}`,
  "a macro's parameter in a search": `{% macro f(m) %}{% for x in messages %}{% if x.content == m %}F{% endif %}{% endfor %}{% endmacro %}${over("{{ f('seek') }}")}`,
  "loop by a computed name": over(
    "{% set ns = namespace(d=false) %}{% for t in messages %}{% if not ns.d %}{{ loop['length'] }}{% set ns.d = true %}{% endif %}{% endfor %}",
  ),
  "an object with two names in some conversations": `{% set ns = namespace(x=0) %}{% if messages|length == 5 %}{% set ns2 = ns %}{% else %}{% set ns2 = namespace(x=0) %}{% endif %}${over("{% set ns.x = 1 %}{{ ns2.x }}")}`,
  "arguments with names as items": `{% macro f(a) %}{{ a }}{% endmacro %}{% set l = [] %}${over("{% set _ = l.append(a=m.content) %}")}{% for k in l %}{{ f(k) }}{% endfor %}`,
  "a search through an object with two names": over(
    `{% set a = namespace(x=0) %}{% set b = a %}{% for x in messages[loop.index:] %}{% if x.content == 'seek' %}{% set a.x = 1 %}{% if b.x == 1 %}F{% endif %}{% set a.x = 0 %}{% endif %}{% endfor %}{% set b = 0 %}${said}`,
  ),
  "many copies": `{% set l = [] %}${over("{% set _ = l.append({'r': m.role}) %}")}${over("{{ l|tojson|length }},")}`,
  "a variable that is a message": `{% set last = messages[-1] %}${over("{{ last.content }}{% if m == last %}L{% endif %}{{ last['content'] }}")}`,
  "messages that change between two loops": `{% macro f() %}${over("{{ m.content }};")}{% endmacro %}{{ f() }}${over("{% set m.content = 'X' %}")}{{ f() }}`,
  "messages that change in long conversations": `{% if messages|length > 6 %}${over("{% set m.content = m.content ~ '!' %}")}{% endif %}${over(said)}`,
  "a message that changes the next one": over(
    "{{ m.content }}{% if loop.revindex == 3 %}{% set messages[loop.index].content = 'x' %}{% endif %}",
  ),
  "a namespace that the loop hides": `{% set a = namespace(n=0) %}${over("{% if m.role == 'user' %}{% set a.n = a.n + 1 %}{% else %}{% set a = namespace(n=100) %}{% endif %}")}{{ a.n }}`,
  "new members in order": `{% set ns = namespace(z=0) %}${over("{% if m.role == 'user' %}{% set ns.u = m.content %}{% else %}{% set ns.a = m.content %}{% endif %}")}{{ ns|tojson }}`,
  "a variable that earlier items have set": over(
    "{% if seen is defined %}{{ seen }}{% endif %}{% if m.role == 'user' %}{% set seen = m.content %}{% endif %}",
  ),
  "a counter, and a variable that changes with the conversation": `{% set ns = namespace(n=0) %}{% set last = messages|length %}${over("{% set ns.n = ns.n + 1 %}{{ ns.n }}{% if ns.n == last %}L{% endif %}{% if ns.n % 2 == 0 %}{{ m.content }}{% endif %}")}{{ ns.n }}`,
  "a member with a function's name": `{% set ns = namespace(a=messages|length) %}${over("{% set ns.items = 1 %}{% for k, v in ns.items() %}{{ k }}={{ v }}{% endfor %}")}`,
  "functions in a list": `{% macro f() %}${over("{% for g in l %}{{ g('x') }}{% endfor %}")}{% endmacro %}{% set ns = namespace(x=1) %}{% set l = [ns.get] %}{{ f() }}{% set ns.x = 2 %}{{ f() }}`,
  "copies of messages that change": `{% macro f(l) %}${over("{% for x in l %}{% if x.content == 'seek' %}F{% endif %}{% endfor %}")}{% endmacro %}{{ f(messages) }}{% set c = [] %}${over("{% set _ = c.append({'role': m.role, 'content': m.content}) %}")}{{ f(c) }}{% for x in c %}{% set x.content = 'seek' %}{% endfor %}{{ f(c) }}`,
  "an object that leaves a list": over(
    "{% if loop.first %}{% set ns = namespace(x=0) %}{% if messages|length > 5 %}{% set ns2 = ns %}{% endif %}{% endif %}{% if loop.index == 2 %}{% set t = [ns] %}{% set ns = 0 %}{% set k = t.pop() %}{% set k.x = 5 %}{% endif %}{{ ns2.x }},",
  ),
  "another range": `{% set range = 'a,b,c,d,e,f'.split %}${over("{{ m.content }}{% for k in range(',', messages|length) %}{% endfor %}")}`,
  "a place that follows from the length": `{% set k = messages|length - 5 %}${over("{{ messages[k].role }}{{ messages[k - 1].content }}")}`,
  "a role at a place that changes": `{% set k = messages|length - 1 %}${over("{% if messages[k].role == 'user' and messages[k - 2].content != 'seek' %}{{ m.content }}{% endif %}")}`,
  "a place that iterations set": `{% set n = namespace(k=0) %}${over("{{ messages[n.k].content }}{% if m.role == 'user' %}{% set n.k = loop.index0 %}{% endif %}")}`,
  "the next message, if there is one": over(
    "{{ m.content }}{% if messages[loop.index] is defined and messages[loop.index].role == 'user' %}U{% endif %}",
  ),
  "items of a part of the list": `{% set rest = messages[1:] %}{% for m in rest %}{{ rest[loop.index].content }}{{ rest[0].content }}{% endfor %}`,
  "items of a list that the template grows": `{% set all = namespace(l=[]) %}${over("{% set all.l = all.l + [m.content] %}{% set l = all.l %}{{ l[0] }}{{ l[loop.index0] }}{{ l[-1] }}")}`,
  "characters of a text": `{% set t = messages[-1].content %}${over("{{ t[1] }}{{ t[-1] }}{{ t[8] }}")}`,
  "all but the last": over(
    "{% if not loop.last %}{{ m.content }},{% endif %}{% if loop.last and m.role == 'user' %}L{% endif %}",
  ),
  "the last in long conversations": `{% set long = messages|length > 6 %}${over("{% if loop.last == long %}{{ m.content }}{% endif %}{{ loop.last }}")}`,
  "the last of an inner loop": over(
    "{% for c in m.content %}{% if loop.last %}{{ c }}{% endif %}{% endfor %}{% if loop.last %}!{% endif %}",
  ),
  "searches that differ by a variable": over(
    `{% set n = namespace(f=0) %}{% set want = m.role %}{% for x in messages[loop.index:] %}{% if x.role != want and x.content == 'seek' %}{% set n.f = 1 %}{% endif %}{% endfor %}${said}{{ n.f }}`,
  ),
  "searches that differ by the message": over(
    `{% set n = namespace(f=0) %}{% for x in messages[loop.index:] %}{% if x.content == m.content or x.role == m.content %}{% set n.f = n.f + 1 %}{% endif %}{% endfor %}${said}{{ n.f }}`,
  ),
  "searches that differ by the place": over(
    `{% set n = namespace(f=0) %}{% for x in messages[loop.index:] %}{% if loop.index == 6 and x.role == 'user' %}{% set n.f = 1 %}{% endif %}{% if loop.last and x.content == 'seven' %}{% set n.f = 2 %}{% endif %}{% endfor %}${said}{{ n.f }}`,
  ),
  "searches that differ by an object": over(
    `{% set n = namespace(want=m.content, f=0) %}{% for x in messages[loop.index:] %}{% if x.content == 'seek' and n.want == 'one' %}{% set n.f = 1 %}{% endif %}{% endfor %}${said}{{ n.f }}`,
  ),
  "searches that differ by a variable with the item's name": `{% for r in ['a', 'a', 'a', 'a', 'a'] %}{% set n = namespace(f=0) %}{% set r = loop.index > 2 %}{% for x in messages %}{% if x.content == 'seek' and r %}{% set n.f = 1 %}{% endif %}{% endfor %}{{ n.f }}{% endfor %}`,
  "a tuple in long conversations": `{% if messages|length > 5 %}{% set x = (messages[0].role, messages[1].role) %}{% else %}{% set x = [messages[0].role, messages[1].role] %}{% endif %}${over("{{ '' ~ x }}{{ x|string }};")}`,
  "messages in a tuple": `{% set x = (messages[0], messages[-1]) if messages|length > 5 else [messages[0], messages[-1]] %}${over("{{ x[1].content }}{{ x is sequence }}{{ x|length }}{{ x[0] }};")}`,
  "texts by parts": `{% set t %}${over("{{ m.content }} ")}{% endset %}{{ t|capitalize }}`,
};

/** A conversation in the states that it has from turn to turn: it grows, loses messages, and is edited. */
function states(): Message[][] {
  const user = (content: string): Message => ({ role: "user", content });
  const assistant = (content: string): Message => ({ role: "assistant", content });
  const first = [user("one"), assistant("two"), user("three"), assistant("four"), user("five")];
  const second = [...first, assistant("six"), user("seven")];
  const third = [...second, assistant("seek"), user("nine"), assistant("ten"), user("eleven")];
  const edited = third.with(2, user("seek"));
  return [first, second, first, third, edited, [...edited, assistant("twelve"), user("seek")], edited.slice(2)];
}

const tools = [{ name: "lookup", description: "Looks up.", parameters: { type: "object", properties: {} } }];

// Arguments are other variables of the template, for which llama.cpp prepares the rendering again.
const ways = [{}, { chatTemplateArgs: { other: 1 } }];

async function prompts(engine: Engine, all: readonly Message[][]): Promise<string[]> {
  const made: string[] = [];
  for (const messages of all) {
    const offered = messages.length > 6 ? { tools, toolChoice: "none" as const } : {};
    for (const way of ways)
      made.push(await engine.models.renderPrompt(undefined, { messages, ...offered, ...way }).catch(String));
  }
  return made;
}

test.for(Object.entries(templates))("a template's prompts do not depend on those before: %s", async ([, source]) => {
  const script = { replies: ["Fine."], chatTemplate: source };
  const engine = await openEngine(script);
  const remembered = await prompts(engine, states());
  for (const [i, messages] of states().entries()) {
    const fresh = await openEngine(script);
    expect(remembered.slice(i * ways.length, (i + 1) * ways.length)).toEqual(await prompts(fresh, [messages]));
    await fresh.close();
  }
  expect(await prompts(engine, states())).toEqual(remembered);
});

/** Turns with a call and its result each; `length` messages, of which the last is the user's. */
function longConversation(length: number): Message[] {
  const turn = (n: number): Message[] => [
    { role: "user", content: `Question ${n}?` },
    { role: "assistant", content: "", toolCalls: [{ id: `call0${1000 + n}`, name: "lookup", args: { key: `k${n}` } }] },
    { role: "tool", toolCallId: `call0${1000 + n}`, toolName: "lookup", content: `Result ${n}.` },
    { role: "assistant", content: `Answer ${n}.` },
  ];
  return Array.from({ length: Math.ceil(length / 4) }, (_, n) => turn(n))
    .flat()
    .slice(0, length);
}

// The handler of llama.cpp gets all messages of a short conversation, and a sample of a long one (prompt/turns/sample.h).
test.for(chosenTemplates)("%s: a longer conversation begins like a shorter one", async (name) => {
  const engine = await openEngine({ replies: ["Fine."], chatTemplate: templateSource(name) });
  const render = (length: number): Promise<string> =>
    engine.models.renderPrompt(undefined, { messages: longConversation(length), tools, toolChoice: "none" });
  const short = await render(45);
  const shown = (prompt: string): string[] => prompt.match(/(?:Question|Result|Answer) \d+[?.]|k\d+/gu) ?? [];
  for (const length of [49, 77, 49, 121]) {
    const long = await render(length);
    expect(long.startsWith(short.slice(0, short.lastIndexOf("Answer 10.")))).toBe(true);
    expect(shown(long).slice(0, shown(short).length)).toEqual(shown(short));
    expect(shown(long).at(-1)).toBe(`Question ${(length - 1) / 4}?`);
  }
});

/** The states of a long conversation that grows by messages of many kinds. `word` is in each text that is new. */
function turnsOfManyKinds(word: string): Message[][] {
  const user = (content: string): Message => ({ role: "user", content });
  const said = (content: string, more: Partial<Message> = {}): Message => ({ role: "assistant", content, ...more });
  const call = (n: number, args: Record<string, unknown> = { key: `${word}${n}` }) => ({
    id: `call1${1000 + n}`,
    name: "lookup",
    args,
  });
  const result = (n: number): Message => ({
    role: "tool",
    toolCallId: call(n).id,
    toolName: "lookup",
    content: `${word} ${n}.`,
  });
  const parts: Message[][] = [
    longConversation(45),
    [said(`Fine, ${word}.`, { reasoning: `It is a ${word}.` }), user(`And ${word}?`)],
    [said("", { reasoning: `I look for ${word}.`, toolCalls: [call(1)] }), result(1)],
    [said(`Found ${word}.`, { reasoning: "It is there." }), user(` ${word} and blanks. \n`)],
    [said("", { toolCalls: [call(2), call(3)] }), result(2), result(3)],
    [said(`Both ${word}.`, { toolCalls: [call(4, {})] }), result(4), said(` Done, ${word}. `), user(`More ${word}.`)],
    [said("Two more.", { toolCalls: [call(5), call(6)] }), ...(word === "red" ? [result(6), result(5)] : [result(6)])],
    [said(`Well, ${word}.`, { reasoning: "The last one." }), user("Thanks.")],
  ];
  return parts.map((_, last) => parts.slice(0, last + 1).flat());
}

/** Two conversations in turn: the second has the kinds of the first, so that it is rendered from what the first left. */
function interleaved(): Message[][] {
  const [first, second] = [turnsOfManyKinds("red"), turnsOfManyKinds("green")];
  return first.flatMap((messages, turn) => [messages, second[turn] ?? []]);
}

// llama.cpp prepares a turn whose kinds of messages are new, and changes messages of some kinds.
test.for(chosenTemplates)("%s: turns of many kinds are those of an engine that has seen no other", async (name) => {
  const script = { replies: ["Fine."], chatTemplate: templateSource(name), contextLength: 8192 };
  const engine = await openEngine(script);
  const render = (one: Engine, messages: Message[]): Promise<string> =>
    one.models.renderPrompt(undefined, { messages, tools, toolChoice: "none" }).catch(String);
  let rendered = 0;
  for (const [turn, messages] of interleaved().entries()) {
    const fresh = await openEngine(script);
    const prompt = await render(engine, messages);
    expect(prompt, `turn ${turn}`).toBe(await render(fresh, messages));
    if (prompt.includes("green")) rendered += 1;
    await fresh.close();
  }
  expect(rendered).toBeGreaterThan(3);
});

const byTheSwitch: Readonly<Record<string, string>> = {
  "a default": `{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}${over(said)}`,
  "a default by a filter": `{% set add_generation_prompt = add_generation_prompt|default(false) %}${over(said)}`,
  "another variable that follows from it": `{% set default = add_generation_prompt %}${over("{{ m.content }}{% if m.content == 'seek' and default %}!{% endif %}")}`,
  "a constant that follows from it": `{% set true = add_generation_prompt %}${over("{{ m.content }}{% if m.content == 'seek' and true %}!{% endif %}")}`,
  "its value, printed": `{{ add_generation_prompt }}${over(said)}`,
  "a default that prints": `{% if not add_generation_prompt %} {% set add_generation_prompt = false %}{% endif %}${over(said)}`,
};

test.for(Object.entries(byTheSwitch))("a template that begins with the switch: %s", async ([, begin]) => {
  const chatTemplate = `${begin}{% if add_generation_prompt %}<assistant>{% endif %}`;
  const script = { replies: ["Fine."], chatTemplate };
  const engine = await openEngine(script);
  const ways = [{}, { addGenerationPrompt: false }, { chatTemplateArgs: { false: true } }];
  for (const messages of [...states().slice(1, 4), states()[0] ?? []]) {
    for (const way of ways) {
      const fresh = await openEngine(script);
      const prompt = await engine.models.renderPrompt(undefined, { messages, ...way });
      expect(prompt).toBe(await fresh.models.renderPrompt(undefined, { messages, ...way }));
      await fresh.close();
    }
  }
});

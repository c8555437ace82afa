// Does the exercises of the matrix with one client: reads tasks, a line of JSON each, and writes the outcome of each.
// A client is an object with
//   system(text), user(text), said(text), call({ text, id, name, args }), result({ id, name, text }): its messages
//   ask(task, messages, { tools, schema, maxTokens, thinks }): { messages, text, reasoning, calls, cut, value }
// and, if it runs tools itself,
//   agent(task, messages, thinks): { text, calls, reasoning }
import { createInterface } from "node:readline";

export const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
};

const message = (role) => (content) => ({ role, content });

/** Messages with a text, in the form that most protocols share. */
export const texts = { system: message("system"), user: message("user"), said: message("assistant") };

export const weather = ({ city }) => `3 degrees in ${city}`;

/** The loop for a client that has no loop. */
async function runTools(client, task, messages, thinks) {
  const calls = [];
  let reasoning = "";
  for (let turn = 0; turn < 5; turn++) {
    const answer = await client.ask(task, messages, { tools: true, thinks });
    reasoning += answer.reasoning ?? "";
    if (answer.calls.length === 0) return { text: answer.text, calls, reasoning };
    messages = [...messages, ...answer.messages];
    for (const { id, name, args } of answer.calls) {
      calls.push({ name, args });
      messages.push(client.result({ id, name, text: weather(args) }));
    }
  }
  throw new Error("the model calls without end");
}

function withTools(client, task, thinks = false) {
  const messages = [client.system("You know the weather."), client.user(task.prompt)];
  return client.agent === undefined ? runTools(client, task, messages, thinks) : client.agent(task, messages, thinks);
}

const exercises = {
  first: async (client, task) => ({ text: (await client.ask(task, [client.user(task.prompt)], {})).text }),
  tool: withTools,
  several: withTools,
  reasoning: (client, task) => withTools(client, task, true),
  typed: async (client, task) => {
    const { text, value } = await client.ask(task, [client.user(task.prompt)], { schema });
    return { value: value ?? JSON.parse(text) };
  },
  cut: async (client, task) => {
    const asked = [client.user(task.prompt)];
    const begun = await client.ask(task, asked, { maxTokens: task.maxTokens });
    const { text } = await client.ask(task, [...asked, ...begun.messages, client.user(task.goOn)], {});
    return { text, cut: begun.cut, begun: begun.text };
  },
  compaction: async (client, task) => {
    const past = task.history.map(({ role, text, ...call }) =>
      role === "user" || role === "said" ? client[role](text) : client[role]({ text, ...call }),
    );
    const system = client.system("You know the weather.");
    const { text: summary } = await client.ask(task, [system, ...past, client.user("Sum up this conversation.")], {});
    const messages = [
      system,
      client.user(`Of the conversation before: ${summary}`),
      client.said("Understood."),
      client.user(task.goOn),
    ];
    const { text } = await client.ask({ ...task, model: task.next }, messages, { tools: true });
    return { text, summary };
  },
};

/** Does the tasks that come, one after the other. */
export async function serve(client) {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    const task = JSON.parse(line);
    const outcome = await exercises[task.exercise](client, task).catch((error) => ({
      error: `${error.stack}\n${error.cause ?? ""}${error.responseBody ?? ""}`.slice(0, 3000),
    }));
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
  }
}

// An agent: a session with two tools, rules that allow some calls, and a hook that asks about the rest. Prints each
// step. Run: node examples/agent.mjs
import { createEngine, tool } from "llama-hooks";

const engine = await createEngine();
const calculator = tool({
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  run: ({ expression }) => (expression === "12 * 7" ? "84" : "too hard for an example"),
});
const readFile = tool({
  name: "read_file",
  description: "Reads a text file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  run: ({ path }) => `the text of ${path}`,
});

// A program would ask a person here, and wait for the answer without a limit.
engine.hooks.on(
  "permissionCheck",
  ({ permission, args }) => {
    if (permission !== "ask") return undefined;
    return args.path === "notes.txt" ? { permission: "allow" } : { permission: "deny", reason: "not that file" };
  },
  { name: "person", deadlineMs: 0 },
);

const session = engine.session({
  tools: [calculator, readFile],
  permissions: [{ allow: "calculator" }, { ask: "read_file" }],
  temperature: 0,
});
for (const question of ["What is 12 * 7?", "What does notes.txt say?", "What does secrets.txt say?"]) {
  console.log(`> ${question}`);
  const run = session.run(question);
  for await (const event of run) {
    if (event.type !== "toolResult") continue;
    const { name, args, result, resultKind } = event.record;
    console.log(`  ${name}(${JSON.stringify(args)}) ${resultKind}: ${result}`);
  }
  const { text, finishReason } = await run;
  console.log(`  ${finishReason}: ${text}`);
}
await engine.close();

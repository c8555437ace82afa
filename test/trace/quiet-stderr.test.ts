// llama.cpp's log goes to stderr only if the user asked for it, because it may hold text that a hook has redacted.
import { expect, test } from "vitest";
import { quiet, script } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const secret = "swordfish";
// With this template llama.cpp has no grammar for calls, and its parser does not read this one.
const chatTemplate = templateSource("meta-llama-Llama-3.1-8B-Instruct");
const broken = { pieces: ['{"', secret, '": 1}'] };

const say = `
const engine = await createEngine({ model, chatTemplate: ${JSON.stringify(chatTemplate)}, ...onCpu });
const tools = [{ name: "weather", parameters: { type: "object", properties: {
  city: { type: "string", pattern: "not anchored" } } } }];
const codes = [];
engine.hooks.on("error", ({ code }) => void codes.push(code));
engine.hooks.on("postGenerate", () => ({ content: "redacted" }));
const attempt = async (options) => {
  try { await engine.generate("Hi", { maxTokens: 20, ...options }); } catch (error) { codes.push(error.code); }
};
await attempt({ tools });
await attempt({ grammar: 'root ::= "${secret}' });
await attempt({ grammar: "root ::= ${secret}" });
await attempt({ jsonSchema: { type: "string", pattern: "${secret}" } });
await attempt({ jsonSchema: { type: "string", pattern: "^(${secret}$" } });
await engine.close();
console.log(codes.join(" "));
`;

test("nothing that a model wrote or a grammar says reaches stderr", async () => {
  const model = await scriptModel([broken]);
  const ended = await script(say, model);
  expect(ended).toMatchObject(quiet(0));
  for (const code of ["OUTPUT_UNPARSED", "INVALID_GRAMMAR", "INVALID_SCHEMA"]) expect(ended.stdout).toContain(code);
});

test("logLevel debug shows output that does not follow its format", async () => {
  const model = await scriptModel([broken]);
  const { code, stderr } = await script(say.replace("...onCpu", '...onCpu, logLevel: "debug"'), model);
  expect(code).toBe(0);
  expect(stderr).toContain(secret);
});

test("logLevel none says nothing of grammars that llama.cpp refuses, which logLevel error shows", async () => {
  const refused = (logLevel: string): string => `
const engine = await createEngine({ model, logLevel: ${JSON.stringify(logLevel)}, ...onCpu });
for (const grammar of ["other ::= \\"a\\"", "root ::= x\\nx ::= y\\ny ::= x \\"a\\"", "root ::= \\"a"]) {
  try { await engine.generate("Hi", { maxTokens: 5, grammar }); } catch (error) { console.log(error.code); }
}
await engine.close();`;
  const model = await scriptModel(["Hello."]);
  const none = await script(refused("none"), model);
  expect(none).toEqual({ ...quiet(0), stdout: "INVALID_GRAMMAR\n".repeat(3) });
  expect((await script(refused("error"), model)).stderr).toMatch(/does not contain a 'root' symbol/);
});

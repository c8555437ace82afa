// Hundreds of random hostile grammars, schemas and sets of tools: each works or is refused with a code, and an innocent
// generation beside it ends. GRAMMARS=count and SEED=number ask for more.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";
import { chance, randomConstraint } from "../support/random-grammars.js";
import { randomModel } from "../support/models/random-model.js";
import { startScript } from "../fixtures/child.js";

const count = Number(process.env["GRAMMARS"] ?? 150);
const seed = Number(process.env["SEED"] ?? 1);
/** The time that one may take on a machine that does other work, too. */
const mostMs = 20_000;
const mostBytes = 2 * 2 ** 30;

const code = `
import { readFileSync } from "node:fs";
const engine = await createEngine({ ...onCpu, model });
for (const [index, options] of JSON.parse(readFileSync(process.env.CASES, "utf8")).entries()) {
  const cpu = process.cpuUsage();
  process.stdout.write("begin " + index + "\\n");
  const beside = engine.generate("Hi", { maxTokens: 4, temperature: 0 });
  let said = "works";
  try {
    await engine.generate("Hi", { maxTokens: 12, seed: index, temperature: 2, ...options });
  } catch (error) {
    said = error.code ?? String(error);
  }
  await beside;
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write("end " + index + " " + said + " " + Math.round((user + system) / 1000) + "\\n");
}
process.stdout.write("memory " + process.resourceUsage().maxRSS * 1024 + "\\n");
await engine.close();
`;

const codes = ["works", "INVALID_GRAMMAR", "INVALID_SCHEMA", "PROMPT_TOO_LONG"];

test(`${count} random grammars, schemas and sets of tools`, { timeout: 60_000 + count * mostMs }, async () => {
  const of = chance(seed);
  const cases = Array.from({ length: count }, () => randomConstraint(of));
  const file = path.join(await tempDir(), "cases.json");
  await writeFile(file, JSON.stringify(cases));
  const env = { CASES: file };
  const child = startScript(code, await randomModel({ vocabulary: 2000 }), [], env, count * mostMs);
  // The innocent generation and the hostile one share a decode thread; each pair has its own time.
  for (const [index, options] of cases.entries()) {
    const late = setTimeout(() => child.process.kill("SIGKILL"), mostMs);
    await child.said(new RegExp(`^end ${index} `, "mu")).catch((error: unknown) => {
      throw new Error(`it did not end: ${JSON.stringify(options).slice(0, 2000)}`, { cause: error });
    });
    clearTimeout(late);
  }
  const { stdout, stderr } = await child.ended;
  const ends = [...stdout.matchAll(/^end (\d+) (\S+) (\d+)$/gmu)];
  const odd = ends.filter(([, , said = ""]) => !codes.includes(said));
  expect(odd.map(([line, index]) => `${line} ${JSON.stringify(cases[Number(index)]).slice(0, 500)}`)).toEqual([]);
  expect(ends.filter(([, , said]) => said === "works").length).toBeGreaterThan(count / 5);
  expect(ends.filter(([, , said]) => said !== "works").length).toBeGreaterThan(count / 5);
  expect(Number(/^memory (\d+)$/mu.exec(stdout)?.[1])).toBeLessThan(mostBytes);
  expect(stderr).toBe("");
});

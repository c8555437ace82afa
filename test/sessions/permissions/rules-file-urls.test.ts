// A condition on a path reads file URLs as the paths that programs read from them.
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { openJudge } from "../../support/rules.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

const here = pathToFileURL(process.cwd()).pathname;
const secret = `${here}/data/secret/x`;

const spellings = [
  `file://${secret}`,
  `file:${secret}`,
  `file://localhost${secret}`,
  `file://LOCALHOST.${secret}`,
  `FILE://${secret}`,
  `File:${secret}`,
  ` file://${secret} `,
  `fi\tle://${secret}`,
  `file:///${secret}`,
  `file://${secret}?x#y`,
  `file://${secret}#y`,
  `file://${secret.replace("secret", "s%65cret")}`,
  `file://${secret.replace("secret", "s%2565cret")}`,
  `file://${secret.replaceAll("/", "%2F")}`,
  `file://${here}/data/other/../secret/x`,
  `file://${here}/data/other/%2e%2e/secret/x`,
  `file:\\\\${secret}`,
  `file://${secret.replaceAll("/", "\\")}`,
  `file://user@localhost${secret}`,
  `file://elsewhere${secret}`,
  "file:data/secret/x",
  "file:./data/secret/x",
  `file://${here}/data/secret`,
];

test("deny and ask see the path in a file URL, however it is spelled", async () => {
  const { spared } = await openJudge();
  for (const is of [{ path: "data/secret/**" }, { path: `${process.cwd()}/data/secret/**` }, "data/secret/**"])
    expect(await spared(is, spellings), JSON.stringify(is)).toEqual([]);
  const others = [`file://${here}/data/public/x`, `file://${here}/data/secrets`, "profile:///data/secret/x"];
  expect(await spared({ path: "data/secret/**" }, others)).toEqual(others);
});

test("drives of Windows, in lists and in nested fields", async () => {
  const { running } = await openJudge();
  const drives = ["file:///C:/secret/x", "file:///c%3A/secret/x", "file:///C|/secret/x", "file://C:/secret/x"];
  expect(
    await running([{ allow: "**" }, { deny: "probe", when: { "args.v": { path: "?:/secret/**" } } }], drives),
  ).toEqual([]);
  const nested = [[`file://${secret}`], [["ok", `file://${secret}`]], { files: [{ at: `file://${secret}` }] }];
  const at = (path: string) => [{ allow: "**" }, { deny: "probe", when: { [path]: { path: "data/secret/**" } } }];
  expect(await running(at("args.v"), nested)).toEqual([]);
  expect(await running(at("args.v.files.at"), [nested[2]])).toEqual([]);
});

test("allow does not take a file URL for a path in its folder", async () => {
  const { allowed } = await openJudge();
  const paths = ["data/public/x", `file://${here}/data/public/x`, "file:///etc/passwd", "file:data/public/x"];
  expect(await allowed({ path: "data/public/**" }, paths)).toEqual(["data/public/x"]);
  expect(await allowed({ path: "**/passwd" }, paths)).toEqual([]);
});

test("a tool is not run", async () => {
  const engine = await openEngine([calls("fs_read", { path: `file://${secret}` }), "Well."]);
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
  let ran = 0;
  const read = tool({ name: "fs_read", parameters, run: () => `${++ran}` });
  const permissions = [{ allow: "*" }, { deny: "fs_read", when: { "args.path": { path: "data/secret/**" } } }];
  expect(resultTexts(await runOnce(engine, { tools: [read], permissions }))[0]).toMatch(/^denied: the rule/);
  expect(ran).toBe(0);
});

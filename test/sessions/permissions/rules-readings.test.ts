// One text may be read in several ways. What a rule allows must be so in each of them, and what it denies or asks about in
// one: hundreds of spellings, which are made by combination, against conditions of every kind.
import path from "node:path";
import { expect, test } from "vitest";
import type { ArgumentCondition, PermissionRule } from "../../../src/index.js";
import { joined, openJudge } from "../../support/rules.js";

const here = process.cwd();
const before = [
  "",
  "./",
  "././",
  "x/../",
  ".//",
  "x/y/../.././",
  `${here}/`,
  `${here}/x/../`,
  `../${path.basename(here)}/`,
];
const between = ["/", "//", "/./", "/y/../"];
const after = ["", "/", "/.", "//", "/z/..", "/./"];
const within = [...joined(before, ["secrets"], between, ["key"], after), ...joined(before, ["secrets"], after)];
const outside = [
  ...joined(["secrets/../", "secrets/./../", "secrets//x/../../", "./secrets/../"], ["key", "secretsx", "", "../etc"]),
  "secretsx",
  "secretsx/key",
  "SECRETS/key",
  "x/secrets",
  "secrets\\..\\..\\etc",
  "secrets/a\0/../../../x",
];

test("a path has one decision in every spelling, its folder and all in it", async () => {
  const { allowed, spared } = await openJudge();
  expect(within.length).toBeGreaterThan(250);
  for (const is of ["secrets/**", "./secrets/**", { path: "secrets/**" }, { path: `${here}/secrets/**` }])
    expect(await spared(is, within), JSON.stringify(is)).toEqual([]);
  expect(await allowed({ path: "secrets/**" }, within)).toEqual(within);
  expect(await allowed({ path: `${here}/secrets/**` }, within)).toEqual(within);
  // A plain pattern wants the text as it is, too.
  const asWritten = within.filter((one) => one === "secrets" || one.startsWith("secrets/"));
  expect(await allowed("secrets/**", within)).toEqual(asWritten);
});

test("what leaves a folder again is not in it", async () => {
  const { allowed, spared } = await openJudge();
  for (const is of ["secrets/**", { path: "secrets/**" }, { path: `${here}/secrets/**` }])
    expect(await allowed(is, outside), JSON.stringify(is)).toEqual([]);
  // A program in C reads a path to the NUL.
  const read = outside.filter((one) => !one.includes("\0"));
  expect(await spared({ path: "secrets/**" }, outside)).toEqual(read);
});

test("** before a name is any number of folders, none included", async () => {
  const { allowed, spared } = await openJudge();
  const files = joined(["", "./", "a/", "a/b/", "/", `${here}/`, "../"], [".env", ".env/", "x/../.env"]);
  for (const is of ["**/.env", { path: "**/.env" }]) {
    expect(await spared(is, files), JSON.stringify(is)).toEqual([]);
    expect(await spared(is, ["x.env", ".env.local", "a/.envs"])).toEqual(["x.env", ".env.local", "a/.envs"]);
  }
  expect(await allowed({ path: "a/**/b" }, ["a/b", "a/x/b", "a/x/y/b", "ab", "a/xb"])).toEqual([
    "a/b",
    "a/x/b",
    "a/x/y/b",
  ]);
});

test("an allow of what is here allows neither the current folder, nor one above it, nor what is elsewhere", async () => {
  const { allowed } = await openJudge();
  const elsewhere = joined(["..", "../x", "x/../..", "/etc/x", "/", "../../x.md"], ["", "/", "/."]);
  const folder = [".", "./", "", "x/..", here];
  expect(await allowed({ path: "*" }, [...elsewhere, ...folder, "a", "./a"])).toEqual(["a", "./a"]);
  expect(await allowed({ path: "./**" }, [...elsewhere, ...folder, "a/b"])).toEqual([...folder, "a/b"]);
  for (const is of ["**/*.md", { path: "**/*.md" }])
    expect(await allowed(is, [...elsewhere, "a/x.md"])).toEqual(["a/x.md"]);
  for (const is of ["**", { path: "**" }]) expect(await allowed(is, elsewhere)).toEqual(elsewhere);
  const higher = ["../..", "../../x", "/etc/passwd"];
  for (const is of ["../**", { path: "../**" }]) expect(await allowed(is, [...higher, "../x"])).toEqual(["../x"]);
  expect(await allowed({ path: "../*" }, [...higher, "../x"])).toEqual(["../x"]);
});

const commands = ["git status", "git log -1", "git diff"];
const hiding = [
  "evil; /../",
  "rm -rf ~; x/../../",
  "x/../",
  "./",
  "/../",
  "a/b/../../",
  "evil\n/../",
  "//../",
  " ",
  "\\..\\",
];

test("a text is allowed as it is, whatever a path would make of it", async () => {
  const { allowed, spared } = await openJudge();
  const hidden = joined(hiding, commands);
  for (const is of ["git *", "git **", { text: "git *" }, { text: "git **" }]) {
    expect(await allowed(is, hidden), JSON.stringify(is)).toEqual([]);
    expect(await allowed(is, commands), JSON.stringify(is)).toEqual(commands);
  }
  const slashed = joined(commands, [" a/../b", " -- a//b", " ./.", " a\\/../b"]);
  expect(await allowed({ text: "git **" }, slashed)).toEqual(slashed);
  expect(await allowed({ text: "git *" }, slashed)).toEqual([]);
  expect(await allowed("git **", joined(commands, [" a/../../b", "/../../etc"]))).toEqual([]);
  // Never normalised, where it denies either; a plain pattern denies what any reading is.
  expect(await spared({ text: "git *" }, [...hidden, ...commands])).toEqual(hidden);
  expect(await spared("git *", [...joined(["x/../", "./", "a/b/../../"], commands), ...commands])).toEqual([]);
});

test.each([
  [
    "an enum",
    "read",
    ["./read", "x/../read", "write/../read", "read/", "read/.", "/../read", "READ", "read ", "read\0"],
  ],
  [
    "SQL",
    "SELECT *",
    joined(["DROP TABLE a; --/../", "DELETE FROM b;/../", "./", "\n/../"], ["SELECT 1", "SELECT a FROM b"]),
  ],
] as const)("%s that is spelled so that a path would be it is not allowed", async (_, pattern, spellings) => {
  const { allowed } = await openJudge();
  for (const is of [pattern, { text: pattern }]) expect(await allowed(is, spellings)).toEqual([]);
  expect(await allowed(pattern, ["read", "SELECT 1"])).toHaveLength(1);
});

test("a number is one from min to max, however it is written", async () => {
  const { allowed, spared } = await openJudge();
  const is = { number: { min: 1, max: 5 } };
  const others = ["3", "three", "", null, true, {}, [], [3], { a: 3 }];
  expect(await allowed(is, [1, 3.5, 5, 0, 5.5, -3, 1e300, ...others])).toEqual([1, 3.5, 5, [3]]);
  expect(await allowed({ number: 5 }, [5, 5.5, "5"])).toEqual([5]);
  expect(await allowed({ number: { min: 0 } }, [-1, 0, 1e300])).toEqual([0, 1e300]);
  const far = [0, 6, "6", " 6 ", "-1e9", [], [6], [[0], "7"]];
  expect(await spared(is, [...far, 3, "3", " 3 ", "3.0", "three", "0x3", "", null, true, {}, [6, 3], [["x"]]])).toEqual(
    far,
  );
});

test("a value that is not of the kind is never allowed, and always denied", async () => {
  const { allowed, spared } = await openJudge();
  const kinds = [{ text: "**" }, { path: "**" }, { url: "**" }, { number: { min: -1e308 } }] as const;
  const values = [null, true, {}, { a: "https://good.com/" }, [null], [[{}]]];
  for (const is of kinds) {
    expect(await allowed(is, [...values, []]), JSON.stringify(is)).toEqual([]);
    expect(await spared(is, values), JSON.stringify(is)).toEqual([]);
  }
  expect(await spared({ url: "https://evil.com/**" }, ["evil.com/x", "/x", "", "mailto:a@b.c"])).toEqual([]);
});

const held = [
  ["secrets/a"],
  [["x", ["./secrets/a"]]],
  ["x", "secrets"],
  [[[[[["x", "a/../secrets/b"]]]]]],
  { a: "secrets" },
  { "secrets/a": 1 },
  { a: [{ b: "x/../secrets/" }] },
  [{ a: 1 }, { a: { b: ["secrets"] } }],
];

test("a deny looks into lists and objects, names included", async () => {
  const { spared } = await openJudge();
  expect(await spared("secrets/**", [...held, ["x"], { a: 1 }, [], {}])).toEqual([["x"], { a: 1 }, [], {}]);
  // An object is not a path.
  expect(await spared({ path: "secrets/**" }, [...held, {}, [{}], ["x", "y/secrets"], []])).toEqual([
    ["x", "y/secrets"],
    [],
  ]);
  expect(await spared({ number: { min: 5 } }, [[1, [2, 7]], [1, [2, 3]], []])).toEqual([[1, [2, 3]], []]);
  expect(await spared({ text: "rm *" }, [["ls", ["rm x"]], ["ls"]])).toEqual([["ls"]]);
});

test("an allow wants each value of a list to match, and allows no object and no empty list", async () => {
  const { allowed } = await openJudge();
  const whole = [["data/a"], ["data/a", "data/b/c"], [["data/a"], [["data/b"]]]];
  const mixed = [["data/a", "/etc/x"], ["data/a", ["data/b", "x"]], ["data/a", 1], ["data/a", []], [[]], []];
  const objects = [{ a: "data/a" }, [{ a: "data/a" }], ["data/a", {}]];
  for (const is of ["data/**", { path: "data/**" }, { text: "data/**" }])
    expect(await allowed(is, [...whole, ...mixed, ...objects]), JSON.stringify(is)).toEqual(whole);
  expect(await allowed({ number: { max: 5 } }, [[1, 2], [1, 6], [1, "2"], []])).toEqual([[1, 2]]);
  expect(await allowed("**", [...whole, ...mixed, ...objects, null, 1])).toHaveLength(14);
  expect(await allowed('{"b": [1, 2.0]}', [{ b: [1, 2] }, { b: [1] }, { b: [1, 2], c: 1 }])).toEqual([{ b: [1, 2] }]);
  expect(await allowed("[]", [[], [1]])).toEqual([[]]);
});

test("a condition on a name holds for every object of a list", async () => {
  const { running } = await openJudge();
  const all: PermissionRule = { allow: "**" };
  const path = "args.v.files.path";
  const inLists = [
    { files: [{ path: "secrets/a" }] },
    { files: [{ path: "x" }, { path: "./secrets/a" }] },
    { files: [[{ path: "x" }, [{ path: ["x", "secrets"] }]]] },
    [{ files: { path: "secrets" } }],
  ];
  const others = [{ files: [{ path: "x" }, { name: "secrets" }] }, { files: [] }, { files: ["secrets"] }];
  const deny: PermissionRule = { deny: "probe", when: { [path]: { path: "secrets/**" } } };
  expect(await running([all, deny], [...inLists, ...others])).toEqual(others);
  const allow: PermissionRule = { allow: "probe", when: { [path]: { path: "secrets/**" } } };
  const lacking = { files: [{ path: "secrets/a" }, { name: "x" }] };
  expect(await running([allow], [...inLists, ...others, lacking])).toEqual([inLists[0], inLists[3]]);
  const second: PermissionRule = { deny: "probe", when: { "args.v.1.path": "secrets/**" } };
  const numbered = [{ 1: { path: "secrets" } }, [0, { path: "secrets" }], [{ 1: { path: "secrets" } }]];
  expect(await running([all, second], [...numbered, [{ path: "secrets" }]])).toEqual([[{ path: "secrets" }]]);
});

test("patterns take time in proportion to the text", async () => {
  const { allowed, spared } = await openJudge();
  const long = `${"a".repeat(200_000)}/x`;
  expect(await allowed({ text: "**a*b" }, [long])).toEqual([]);
  expect(await spared({ text: "**a*a*a*b**c" }, [long])).toEqual([long]);
  expect(await spared({ path: "**/a*b/**" }, [long])).toEqual([long]);
});

test("an argument whose name is there in two spellings is judged by both", async () => {
  const { running } = await openJudge();
  const name = "caf\u00e9";
  const args = { [name]: "ok", [name.normalize("NFD")]: "evil" };
  const when = { [`args.v.${name}`]: "ok" };
  expect(await running([{ allow: "probe", when }], [args, { [name]: "ok" }])).toEqual([{ [name]: "ok" }]);
  const deny: PermissionRule = { deny: "probe", when: { [`args.v.${name}`]: "evil" } };
  expect(await running([{ allow: "**" }, deny], [args])).toEqual([]);
});

test("a rule's words have the kind", async () => {
  const { engine, running } = await openJudge();
  const said: unknown[] = [];
  const hook = engine.hooks.on("permissionCheck", ({ rule }) => void said.push(rule));
  const conditions: ArgumentCondition[] = [
    "a",
    { text: "a" },
    { path: "a" },
    { url: "https://a/" },
    { number: 5 },
    { number: { min: 1 } },
    { number: { max: 5 } },
    { number: { min: 1, max: 5 } },
  ];
  for (const is of conditions)
    await running([{ deny: "*", when: { "args.v": is } }, { allow: "*" }], [["a", 5, "https://a"]]);
  hook.dispose();
  expect(said.map((rule) => String(rule).replace("deny * when args.v is ", ""))).toEqual([
    "a",
    "the text a",
    "the path a",
    "the URL https://a/",
    "the number 5",
    "a number of at least 1",
    "a number of at most 5",
    "a number from 1 to 5",
  ]);
});

// A rule about a path holds for the place that the path leads to, through links too: hundreds of spellings, which are
// made by combination, in a folder with real links.
import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ArgumentCondition } from "../../../src/index.js";
import { amount } from "../../support/amount.js";
import { joined, openJudge } from "../../support/rules.js";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rules-")));
const near = path.relative(process.cwd(), root);
const linux = process.platform === "linux";
let folder = -1; // an open descriptor of the root

const links: Readonly<Record<string, string>> = {
  toSecret: "data/secret",
  absolute: `${root}/data/secret`,
  chain: "chain2",
  chain2: "./toSecret",
  toData: "data",
  here: ".",
  "data/open/mid": "../secret",
  "data/open/far": `${root}/data/open/../secret/`,
  "data/open/back": "../../here/toData/secret",
  "data/open/out": "/etc",
  "data/open/nothing": "../secret/new",
  toKey: "data/secret/key",
  deep: "data/secret/a/b",
  loop: "loop",
  ping: "pong/x",
  pong: "ping/x",
  "data/open/loop": "loop",
  toOpen: "data/open",
};

beforeAll(() => {
  mkdirSync(`${root}/data/secret/a/b`, { recursive: true });
  mkdirSync(`${root}/data/open/sub`, { recursive: true });
  writeFileSync(`${root}/data/secret/key`, "secret");
  writeFileSync(`${root}/data/open/file`, "open");
  for (const [at, target] of Object.entries(links)) symlinkSync(target, path.join(root, at));
  linkSync(`${root}/data/secret/key`, `${root}/data/open/hard`);
  folder = openSync(root, "r");
});
afterAll(() => {
  closeSync(folder);
  rmSync(root, { recursive: true });
});

/** The spellings of the root. */
const roots = (): string[] => [
  root,
  near,
  `./${near}/data/..`,
  ...(linux
    ? [
        `/proc/self/root${root}`,
        `${path.join("/proc", String(process.pid), "root")}/${root}`,
        `/proc/self/cwd/${near}`,
        `/proc/${process.pid}/cwd/${near}`,
        `/proc/self/task/../cwd/./${near}`,
        `/proc/self/fd/${folder}`,
        `/dev/fd/${folder}`,
      ]
    : []),
];
const toSecret = [
  "toSecret",
  "absolute",
  "chain",
  "chain2",
  "toData/secret",
  "here/here/toSecret",
  "here/data/secret",
  "data/open/mid",
  "data/open/far",
  "data/open/back",
  "data/open/sub/../mid",
  "toOpen/mid",
  "toOpen/../secret",
  "deep/../..",
  "deep/../../../secret",
  "none/../toSecret",
  "./toSecret/.",
  "toSecret//",
];
const within = (): string[] => [
  ...joined(roots(), ["/"], toSecret, ["", "/key", "/new", "/new/below", "/a/../key", "/./a/b"]),
  ...joined(roots(), ["/toKey", "/data/open/nothing", "/deep/x", "/deep/../x"]),
];

test("a deny and an ask hold for a folder through every link to it", async () => {
  const { spared } = await openJudge();
  const all = within();
  expect(all.length).toBeGreaterThan(linux ? 1000 : 300);
  const paths = all.filter((_, i) => i % amount(5, 1) === 0); // 5, 6 ends and 17 links have no common divisor
  const secret: ArgumentCondition[] = [
    { path: `${root}/data/secret/**` },
    { path: `${near}/data/secret/**` },
    `${root}/data/secret/**`,
    `${near}/data/secret/**`,
    { path: `${root}/toSecret/**` },
    { path: "**/data/secret/**" },
  ];
  for (const is of secret) expect(await spared(is, paths), JSON.stringify(is)).toEqual([]);
});

test("a deny spares what is beside the folder, through links too", async () => {
  const { spared } = await openJudge();
  const outside = joined(
    roots(),
    ["/"],
    ["data/open/file", "toOpen/file", "data/open/out/passwd", "toData/secretx", "here"],
  );
  outside.push(`${root}/toSecret/../secrets`, `${root}/data/open/hard`, `${root}/loop/x`, `${root}/ping`);
  for (const is of [{ path: `${root}/data/secret/**` }, `${near}/data/secret/**`])
    expect(await spared(is, outside), JSON.stringify(is)).toEqual(outside);
});

test("an allow of a folder allows no link out of it, and nothing that cannot be read", async () => {
  const { allowed } = await openJudge();
  const out = joined(
    [`${root}/data/open/`, `${near}/data/open/`],
    ["mid", "far", "back", "out", "nothing", "sub/../mid", "x/../out", "mid/../open/mid"],
    ["", "/key", "/new", "/a/b"],
  );
  const unreadable = [`${root}/data/open/loop`, `${root}/data/open/loop/x`, `${root}/data/open/a\0b`];
  const inside = joined([`${root}/data/open/`], ["file", "sub", "sub/new", "new", "new/below", "x".repeat(300), ""]);
  const is = { path: `${root}/data/open/**` };
  expect(await allowed(is, [...out, ...unreadable, ...inside])).toEqual(inside);
  expect(await allowed(`${root}/data/open/**`, [...out, ...unreadable, ...inside])).toEqual(inside);
  expect(await allowed({ path: `${root}/data/open/*` }, [`${root}/data/open/mid`, `${root}/data/open/file`])).toEqual([
    `${root}/data/open/file`,
  ]);
});

test("a folder that a pattern names may itself be a link", async () => {
  const { allowed } = await openJudge();
  const files = [`${root}/toOpen/file`, `${root}/toOpen/sub/new`];
  expect(await allowed({ path: `${root}/toOpen/**` }, [...files, `${root}/toOpen/mid/key`])).toEqual(files);
  // The text has to name the folder as the pattern does.
  expect(await allowed({ path: `${root}/toOpen/**` }, [`${root}/data/open/file`])).toEqual([]);
  expect(await allowed({ path: `${root}/toKey` }, [`${root}/toKey`])).toEqual([`${root}/toKey`]);
});

test("a path that is longer than the system takes is denied by its other readings", async () => {
  const { allowed, spared } = await openJudge();
  const long = [
    `${root}/${"./".repeat(4000)}toSecret/key`,
    `${root}/${"none/../".repeat(3000)}toSecret/key`,
    `${root}/${"x".repeat(5000)}/../toSecret/key`,
    `${root}/${"here/".repeat(300)}../${path.basename(root)}/data/secret`,
    `${root}/data/secret/${"x".repeat(5000)}`,
    `${root}/data/secret/${"x/".repeat(5000)}`,
  ];
  expect(await spared({ path: `${root}/data/secret/**` }, long)).toEqual([]);
  expect(await allowed({ path: `${root}/data/open/**` }, long)).toEqual([]);
  // More links than are followed: unreadable.
  const links = `${root}/${"here/".repeat(5000)}data/open/file`;
  expect(await allowed({ path: `${root}/**` }, [links])).toEqual([]);
});

test("a text that is not a path is allowed as ever, however long", async () => {
  const { allowed } = await openJudge();
  const commands = ["git status", `git commit -m ${"x".repeat(300)}`, `git commit -m "${"long words ".repeat(1000)}"`];
  expect(await allowed("git **", commands)).toEqual(commands);
});

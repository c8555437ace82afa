// The workflows call what is in the repository, for every platform of a release, and publish only if all has passed.
// `npm run check` lints them ("workflows"). Must not: know what a step is for.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string): Promise<string> => readFile(path.join(root, file), "utf8");
const names = ["check", "release"];
const texts = new Map<string, string>();
for (const name of names) texts.set(name, await read(`.github/workflows/${name}.yml`));
const workflows = new Map([...texts].map(([name, text]) => [name, parse(text) as Workflow]));
const own = JSON.parse(await read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
const stepsOfCheck = new Set(
  [...(await read("scripts/check.mjs")).matchAll(/name: "([^"]+)"/g)].map(([, name]) => name),
);
const { released } = (await import(new URL("../../scripts/release/released.mjs", import.meta.url).href)) as {
  released: readonly string[];
};

const jobOf = (workflow: string, job: string): Job => {
  const found = workflows.get(workflow)?.jobs[job];
  if (found === undefined) throw new Error(`${workflow}.yml has no job ${job}`);
  return found;
};
const jobs = names.flatMap((name) =>
  Object.entries(workflows.get(name)?.jobs ?? {}).map(([job, content]) => ({
    name: `${name}.yml, ${job}`,
    ...content,
  })),
);

/** The commands of a job, once for each row of its matrix. */
function commandsOf({ steps, strategy }: Job): string[] {
  const rows = strategy?.matrix.include ?? [{}];
  return rows.flatMap((row) =>
    steps.flatMap(({ run }) => {
      const command = run?.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/g, (_, key: string) => row[key] ?? "");
      return command === undefined || command === "" ? [] : [command.trim()];
    }),
  );
}

/** The reason why a command cannot run in this repository. */
function faultOf(command: string): string | undefined {
  const npm = /^npm (?:ci(?: --ignore-scripts)?|test)$/;
  const system = /^(?:git config --global --add safe\.directory '\*'|apt-get [^;|]*|apk add [^;|&]*)$/;
  if (npm.test(command) || system.test(command)) return undefined;
  const [, script] = /^npm run (\S+)(?: -- [^;|&]*)?$/.exec(command) ?? [];
  if (script !== undefined) {
    if (own.scripts[script] === undefined) return `package.json has no script ${script}`;
    const steps = [...command.matchAll(/--(?:only|without) (?:"([^"]+)"|(\S+))/g)].map(([, a, b]) => a ?? b);
    const unknown = steps.find((step) => !stepsOfCheck.has(step));
    return unknown === undefined ? undefined : `npm run check has no step ${unknown}`;
  }
  const [, file] = /^(?:node|bash) (\S+)(?: [^;|&]*)?$/.exec(command) ?? [];
  if (file === undefined) return "it is not one single command of the repository";
  return existsSync(path.join(root, file)) ? undefined : `there is no ${file}`;
}

test("each step is one command, of npm, of package.json or of a script that is there", () => {
  const commands = jobs.flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(50);
  expect(commands.flatMap((command) => (faultOf(command) === undefined ? [] : [[command, faultOf(command)]]))).toEqual(
    [],
  );
});

test.each([
  ["npm run unpack", "package.json has no script unpack"],
  ['npm run check -- --only types --only "released number"', "npm run check has no step released number"],
  ["node scripts/release/published-it.mjs --dry-run", "there is no scripts/release/published-it.mjs"],
  ["npm test || true", "it is not one single command of the repository"],
  ["node scripts/check/released.mjs && npm publish", "it is not one single command of the repository"],
])("%s is found out", (command, reason) => {
  expect(faultOf(command)).toBe(reason);
});

test("each action is pinned to a commit, with its version beside it", () => {
  const uses = [...texts.values()].flatMap((text) => text.match(/uses:.*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test("no job may write to the repository or run for hours; those that publish have an identity, one a secret", () => {
  for (const name of names) expect(workflows.get(name)?.permissions).toEqual({ contents: "read" });
  const trusted = jobs.filter(({ permissions }) => permissions !== undefined);
  expect(trusted.map(({ name, permissions }) => [name, permissions])).toEqual([
    ["release.yml, docs", { contents: "read", pages: "read" }],
    ["release.yml, publish", { contents: "read", "id-token": "write" }],
    ["release.yml, site", { pages: "write", "id-token": "write" }],
  ]);
  expect(jobs.filter(({ "timeout-minutes": minutes }) => !(Number(minutes) <= 180)).map(({ name }) => name)).toEqual(
    [],
  );
  expect(texts.get("check")).not.toContain("secrets.");
  expect(texts.get("release")?.match(/secrets\.\w+/g)).toEqual(["secrets.NPM_TOKEN"]);
  const parts = (texts.get("release") ?? "").split(/\n {2}(?:publish|site):\n/);
  expect(parts.map((part) => part.includes("secrets."))).toEqual([false, true, false]);
});

test("every platform of a release is checked, and packed on its own system", () => {
  const platformsOf = (job: Job): string[] => job.strategy?.matrix.include.map(({ platform }) => platform ?? "") ?? [];
  expect(["linux-x64", ...platformsOf(jobOf("check", "systems"))].toSorted()).toEqual(released.toSorted());
  const packed = commandsOf(jobOf("release", "main")).find((command) => command.startsWith("npm run pack")) ?? "";
  const others = platformsOf(jobOf("release", "package"));
  expect(/--platform (\S+)/.exec(packed)?.[1]).toBe("linux-x64");
  expect([...packed.matchAll(/--published (\S+)/g)].map(([, name]) => name).toSorted()).toEqual(others.toSorted());
  expect(["linux-x64", ...others].toSorted()).toEqual(released.toSorted());
});

test("a package is tested, packed and tried before it is uploaded, and published after every job has passed", () => {
  for (const job of ["main", "package"]) {
    const { steps } = jobOf("release", job);
    const place = (pattern: RegExp): number => steps.findIndex(({ run, uses }) => pattern.test(run ?? uses ?? ""));
    const places = [/^npm ci/, /^npm test/, /^npm run pack/, /try-package/, /upload-artifact/].map(place);
    expect(places.every((at) => at >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
  const before = (job: string): string[] => [
    job,
    ...[jobOf("release", job).needs ?? []].flat().flatMap((name) => before(name)),
  ];
  // The site describes a version that can be installed: it comes last, built before anything was published.
  const all = Object.keys(workflows.get("release")?.jobs ?? {});
  expect([...new Set(before("publish")), "site"].toSorted()).toEqual(all.toSorted());
  expect(jobOf("release", "site").needs).toBe("publish");
  expect(jobOf("release", "site").steps.map(({ uses }) => uses?.split("@")[0])).toEqual(["actions/deploy-pages"]);
  // A job that continues after a failure, or publishes beside the last one, would publish what has failed.
  expect(texts.get("release")).not.toMatch(/always\(\)|continue-on-error|!cancelled/);
  expect(
    jobs
      .filter((job) => commandsOf(job).some((command) => /release\/publish\.mjs/.test(command)))
      .map(({ name }) => name),
  ).toEqual(["release.yml, publish"]);
});

test("docs/internals/releasing.md has each command of a release", async () => {
  const page = await read("docs/internals/releasing.md");
  const commands = names.flatMap((name) => Object.values(workflows.get(name)?.jobs ?? {})).flatMap(commandsOf);
  const programs = commands.flatMap((command) => /^(?:node \S+|bash \S+|npm (?:ci|test|run \S+))/.exec(command) ?? []);
  expect([...new Set(programs)].filter((program) => !page.includes(program))).toEqual([]);
});

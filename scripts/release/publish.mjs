// Publishes the tarballs of a release, those of the platforms first and llama-hooks last, so that llama-hooks is never
// on the registry without its addon. Checks all tarballs before it uploads one. If it is started again after a failure,
// it continues: a package that the registry has with the same content is done; one with other content is an error, as a
// version can never be replaced. Needs nothing but Node, npm and git.
//   --dry-run        checks and shows the order, and uploads nothing
//   --packages DIR   the tarballs; by default build/packages
//   --clone DIR      the clone that they were built from; by default this one
//   --platform NAME  repeatable; a platform of this release, by default each of released.mjs
//   --provenance     fails if provenance is unavailable; without this option, it is added if it is available
//   --wait SECONDS   the time that the registry gets to serve what was uploaded [300]
// The environment variable NODE_AUTH_TOKEN is a token for the registry; npm's own settings are used, too.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildDir, projectDir } from "../build/llama-paths.mjs";
import { npm, npmOutput } from "./npm.mjs";
import { releaseOf } from "./plan.mjs";
import { stateOf, untilServed } from "./published.mjs";
import { released } from "./released.mjs";

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    packages: { type: "string", default: join(buildDir, "packages") },
    clone: { type: "string", default: projectDir },
    platform: { type: "string", multiple: true, default: released },
    provenance: { type: "boolean", default: false },
    wait: { type: "string", default: "300" },
  },
});

function stop(...lines) {
  for (const line of lines) console.error(`publish: ${line}`);
  process.exit(1);
}

/** Both services name their identity of the running job in such a variable: GitHub Actions, GitLab CI. */
const hasIdentity = ["ACTIONS_ID_TOKEN_REQUEST_URL", "SIGSTORE_ID_TOKEN"].some((name) => process.env[name]);
if (values.provenance && !hasIdentity) {
  stop("there is no provenance: this job has no identity (permission id-token: write on GitHub)");
}
if (!hasIdentity) console.log("without provenance: this machine has no identity that a registry could verify");

/**
 * The token as an npm setting, which names the registry's host. npm gets it from the environment, which other users
 * cannot read.
 */
async function environment() {
  const token = process.env.NODE_AUTH_TOKEN;
  if (!token) return process.env;
  const registry = new URL((await npmOutput(["config", "get", "registry"])).trim());
  const path = registry.pathname.endsWith("/") ? registry.pathname : `${registry.pathname}/`;
  return { ...process.env, [`npm_config_//${registry.host}${path}:_authToken`]: token };
}

// A registry that cannot be asked, and a folder without tarballs.
process.on("uncaughtException", ({ message }) => stop(message));
const { order, problems } = await releaseOf(resolve(values.packages), resolve(values.clone), values.platform);
const states = await Promise.all(order.map(stateOf));
const absent = [];
for (const [i, tarball] of order.entries()) {
  const { name, version } = tarball.manifest;
  const state = states[i];
  if (state === "absent") absent.push(tarball);
  if (state === "other") {
    problems.push(`${name}@${version} is published with another content: raise the version, and build all again`);
  }
  const does = { absent: "upload ", same: "is done", other: "REFUSED" }[state];
  console.log(`${does}  ${name}@${version}  ${tarball.integrity.slice(0, 20)}...`);
}
if (problems.length > 0) stop(...problems, "nothing was uploaded");
if (values["dry-run"]) {
  console.log("dry run: nothing was uploaded");
  process.exit(0);
}

const again = "start this again with the same tarballs: it goes on with what is missing";
const env = await environment();
for (const tarball of absent) {
  const { name, version } = tarball.manifest;
  const { status } = await npm(
    [
      "publish",
      tarball.file,
      "--access=public",
      // npm asks for a tag for versions such as 1.0.0-rc.1, so that they are not what everybody gets.
      ...(version.includes("-") ? ["--tag=next"] : []),
      ...(hasIdentity ? ["--provenance"] : []),
    ],
    { shown: true, env },
  );
  // A failed upload may have arrived: its answer was lost. An upload that went well may not be served yet.
  const state = await untilServed(tarball, status === 0 ? Number(values.wait) : 0).catch(({ message }) =>
    stop(message, again),
  );
  if (state === "same") {
    console.log(`uploaded ${name}@${version}`);
    continue;
  }
  const why = {
    other: "is served with another content",
    absent: status === 0 ? `is not served after ${values.wait} s` : "could not be uploaded",
  }[state];
  const left = absent.slice(absent.indexOf(tarball) + 1).map(({ manifest }) => manifest.name);
  stop(`${name}@${version} ${why}`, ...(left.length > 0 ? [`not uploaded: ${left.join(", ")}`] : []), again);
}
console.log(`published: ${order.length} packages of version ${order.at(-1).manifest.version}`);

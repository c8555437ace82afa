// A local registry for the packages of our scope that are not published yet; it does not serve other names.
// Must not: connect to other hosts.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

function manifestOf(tarball) {
  return JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }));
}

/** Serves these tarballs. Returns the address, and `close()`. */
export async function startRegistry(tarballs) {
  const packages = new Map(tarballs.map((file) => [manifestOf(file).name, { file, manifest: manifestOf(file) }]));
  const server = createServer((request, response) => {
    const [, name, rest] = /^\/(@[^/]+\/[^/]+)(\/.*)?$/.exec(decodeURIComponent(request.url)) ?? [];
    const found = packages.get(name);
    if (found === undefined) {
      response.writeHead(404).end('{"error":"not found"}');
      return;
    }
    const content = readFileSync(found.file);
    if (rest !== undefined) {
      response.end(content);
      return;
    }
    const { manifest } = found;
    const dist = {
      tarball: `${address}/${name}/-/package.tgz`,
      integrity: `sha512-${createHash("sha512").update(content).digest("base64")}`,
      shasum: createHash("sha1").update(content).digest("hex"),
    };
    response.setHeader("content-type", "application/json");
    const versions = { [manifest.version]: { ...manifest, dist } };
    // An old date: package managers avoid packages that were published today.
    const time = { [manifest.version]: new Date(0).toISOString() };
    response.end(JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions, time }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, close: () => server.close() };
}

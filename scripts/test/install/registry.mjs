// A local registry: it serves packages of this machine to package managers, and takes packages from `npm publish`. It
// has no other names. Must not: connect to other hosts.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { readTarball } from "../../release/tarballs.mjs";

/**
 * Starts one with these tarballs. `upload`, called with the name of each package that somebody uploads, may return
 * "refused" (the registry answers 500 and keeps nothing) or "lost" (it keeps the package and answers 500).
 * Returns the address; `has(name)`, versions with the content of each; `close()`.
 */
export async function startRegistry(tarballs, { upload = () => undefined } = {}) {
  const packages = new Map();
  const add = (manifest, content) => {
    const versions = packages.get(manifest.name) ?? new Map();
    packages.set(manifest.name, versions.set(manifest.version, { manifest, content }));
  };
  for (const file of tarballs) {
    const { manifest, content } = readTarball(file);
    add(manifest, content);
  }

  /** The document of a package, as package managers ask for it. */
  function describe(name) {
    const all = [...packages.get(name)];
    const versions = all.map(([version, { manifest, content }]) => {
      const dist = {
        tarball: `${address}/${name}/-/${version}.tgz`,
        integrity: `sha512-${createHash("sha512").update(content).digest("base64")}`,
        shasum: createHash("sha1").update(content).digest("hex"),
      };
      return [version, { ...manifest, dist }];
    });
    // An old date: package managers avoid packages that were published today.
    const time = Object.fromEntries(all.map(([version]) => [version, new Date(0).toISOString()]));
    return { name, "dist-tags": { latest: all.at(-1)[0] }, versions: Object.fromEntries(versions), time };
  }

  /** Takes what `npm publish` sends, and returns the status of the answer. */
  function take(name, { versions, _attachments: attachments }) {
    const fault = upload(name);
    if (fault === "refused") return 500;
    const [manifest] = Object.values(versions);
    if (packages.get(name)?.has(manifest.version)) return 403;
    const [{ data }] = Object.values(attachments);
    add(manifest, Buffer.from(data, "base64"));
    return fault === "lost" ? 500 : 201;
  }

  const server = createServer((request, response) => {
    const [, name, , version] =
      /^\/((?:@[^/]+\/)?[^/@]+)(\/-\/([^/]+)\.tgz)?$/.exec(decodeURIComponent(request.url)) ?? [];
    const answer = (status, content) => {
      response.writeHead(status, { "content-type": "application/json" }).end(content);
    };
    if (request.method === "PUT" && request.headers.authorization === undefined) answer(401, "{}");
    else if (request.method === "PUT" && name !== undefined) {
      json(request).then(
        (document) => answer(take(name, document), "{}"),
        () => answer(400, "{}"),
      );
    } else if (!packages.has(name)) answer(404, '{"error":"not found"}');
    else if (version === undefined) answer(200, JSON.stringify(describe(name)));
    else answer(200, packages.get(name).get(version)?.content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  const has = (name) =>
    Object.fromEntries([...(packages.get(name) ?? [])].map(([version, { content }]) => [version, content]));
  return { address, has, close: () => (server.close(), server.closeAllConnections()) };
}

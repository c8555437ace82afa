// A local hub for tests of downloads: it has the endpoints of the real one, and misbehaves on demand.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Misbehaviour, by the number of the file request (from 0). */
export interface Misbehaviour {
  /** Ends the connection after this many bytes of the answer. */
  readonly cutAfter?: (request: number) => number | undefined;
  /** Answers with this status instead. */
  readonly status?: (request: number) => number | undefined;
  /** The same for lists of files, by their number. */
  readonly listStatus?: (list: number) => number | undefined;
  /** The Retry-After header of such a status. */
  readonly retryAfter?: () => string;
  /** Waits this long between pieces of 64 KiB. */
  readonly pauseMs?: number;
  /** Announces this many bytes more than the file has. */
  readonly tooLong?: number;
  /** Sends other bytes. */
  readonly damage?: boolean;
  /** Ignores ranges. */
  readonly noRanges?: boolean;
  /** Sends no etag, or another one each time. */
  readonly etag?: "none" | "changing";
  /** Answers ranges even if they were requested for another file. */
  readonly ignoresIfRange?: boolean;
  /** Announces this many bytes for each file. */
  readonly claims?: number;
  readonly redirect?: "loop" | "elsewhere";
}

export interface HubServer {
  /** The address, without a trailing slash. */
  readonly endpoint: string;
  /** The requests for files, in order: the range, or "all". */
  readonly asked: string[];
  /** The authorization of each request, "" for none. */
  readonly tokens: string[];
  readonly lists: () => number;
  /** The number of files that are being sent. */
  readonly open: () => number;
  misbehave(how: Misbehaviour): void;
}

const piece = 64 * 1024;

/** A hub with one repository, "user/repo". Files by path; with `token` it requires that token. */
export async function hubServer(files: Readonly<Record<string, Buffer>>, token?: string): Promise<HubServer> {
  let how: Misbehaviour = {};
  let lists = 0;
  let sending = 0;
  const asked: string[] = [];
  const tokens: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", endpoint);
    const given = request.headers.authorization ?? "";
    tokens.push(given);
    if (token !== undefined && given !== `Bearer ${token}` && !url.pathname.startsWith("/elsewhere/"))
      return void response.writeHead(401).end("no");
    if (url.pathname.startsWith("/api/models/user/repo/tree/")) return list(url, response);
    const path = /^\/(?:user\/repo\/resolve\/[^/]+|elsewhere|files)\/(.+)$/.exec(decodeURIComponent(url.pathname))?.[1];
    const file = files[path ?? ""];
    if (file === undefined || path === undefined) return void response.writeHead(404).end("no");
    if (how.redirect === "loop") return void response.writeHead(302, { location: url.href }).end();
    if (how.redirect === "elsewhere" && !url.pathname.startsWith("/elsewhere/")) {
      const other = endpoint.replace("127.0.0.1", "localhost");
      return void response.writeHead(302, { location: `${other}/elsewhere/${path}` }).end();
    }
    await send(request, response, file);
  }

  function refuse(response: ServerResponse, status: number): void {
    response.writeHead(status, how.retryAfter === undefined ? {} : { "retry-after": how.retryAfter() }).end("no");
  }

  // Two entries per page, so that clients must follow pages.
  function list(url: URL, response: ServerResponse): void {
    const status = how.listStatus?.(lists);
    lists += 1;
    if (status !== undefined) return refuse(response, status);
    const at = Number(url.searchParams.get("cursor") ?? 0);
    const entries = Object.entries(files).map(([path, file]) => {
      const oid = createHash("sha256").update(file).digest("hex");
      const size = how.claims ?? file.length;
      const lfs = path.endsWith(".gguf") ? { lfs: { oid, size, pointerSize: 134 } } : {};
      return { type: "file", oid: oid.slice(0, 40), size, path, ...lfs };
    });
    if (at + 2 < entries.length) {
      const next = new URL(url);
      next.searchParams.set("cursor", String(at + 2));
      response.setHeader("link", `<${next.href}>; rel="next"`);
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(entries.slice(at, at + 2)));
  }

  async function send(request: IncomingMessage, response: ServerResponse, file: Buffer): Promise<void> {
    const number = asked.length;
    const { range } = request.headers;
    asked.push(range ?? "all");
    sending += 1;
    response.once("close", () => (sending -= 1));
    const status = how.status?.(number);
    if (status !== undefined) return refuse(response, status);
    const etag = `"${how.etag === "changing" ? number : createHash("sha256").update(file).digest("hex")}"`;
    if (how.etag !== "none") response.setHeader("etag", etag);
    const condition = request.headers["if-range"];
    const ranged =
      range !== undefined &&
      how.noRanges !== true &&
      (condition === undefined || condition === etag || how.ignoresIfRange === true);
    const from = ranged ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0;
    if (from >= file.length) return void response.writeHead(416, { "content-range": `bytes */${file.length}` }).end();
    const total = how.claims ?? file.length + (how.tooLong ?? 0);
    if (ranged) response.setHeader("content-range", `bytes ${from}-${total - 1}/${total}`);
    response.writeHead(ranged ? 206 : 200, { "content-length": total - from });
    const bytes = how.damage === true ? Buffer.from(file).fill(1, file.length - 1) : file;
    const closed = once(response, "close").catch(() => undefined);
    const end = Math.min(file.length, from + (how.cutAfter?.(number) ?? Infinity));
    for (let at = from; at < end; at += piece) {
      if (!response.write(bytes.subarray(at, Math.min(at + piece, end))))
        await Promise.race([once(response, "drain").catch(() => undefined), closed]);
      if (how.pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, how.pauseMs));
      if (response.destroyed) return;
    }
    if (end < file.length || total > file.length) response.destroy();
    else response.end();
  }

  return { endpoint, asked, tokens, lists: () => lists, open: () => sending, misbehave: (one) => void (how = one) };
}

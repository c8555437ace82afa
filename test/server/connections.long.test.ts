import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import { chatOf, openServer } from "../support/http/server.js";

const most = 2000;
const stopping = 200;

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket.setEncoding("utf8").on("error", () => undefined);
}

/** Opens connections, some at a time: the system's queue of new ones is short. */
async function openMany(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < most) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(port)))));
  }
  return sockets;
}

async function statusOf(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  const [text] = (await once(socket, "data")) as [string];
  return text.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
}

test("2,000 connections that are idle, or stop in their headers, hold up no other; all may ask at once", async () => {
  const { server, post } = await openServer({ replies: ["Hello there."], afterLast: "repeat" }, { maxRequests: 32 });
  const sockets = await openMany(server.port);
  const body = JSON.stringify(chatOf({ max_tokens: 2 }));
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  for (const socket of sockets.splice(0, stopping)) socket.write(head); // and no more
  expect((await post("/v1/chat/completions", chatOf())).status).toBe(200);

  const request = `${head}content-length: ${body.length}\r\n\r\n${body}`;
  const statuses = await Promise.all(sockets.map((socket) => statusOf(socket, request)));
  expect(new Set(statuses)).toEqual(new Set(["200", "429"]));
  expect(statuses.filter((status) => status === "200").length).toBeGreaterThanOrEqual(32);

  expect(await Promise.all(sockets.slice(0, 32).map((socket) => statusOf(socket, request)))).toContain("200");
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  expect(metrics).toMatch(/^llama_hooks_http_requests_in_flight 1$/m); // this question
}, 120_000);

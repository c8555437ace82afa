// P26: the memory of connections that are kept alive between requests. Each carries one request, and then waits.
import { once } from "node:events";
import net from "node:net";
import { startServing } from "./serving-work.mjs";

/** Connections that are opened at once: more would wait in the system's queue. */
const group = 100;

/** Resident memory of the serving process in MB, before and with so many connections, all of which are open. */
export async function measure({ model, gpu, threads, contextSize, connections }) {
  const serving = await startServing({ model, gpu, threads, streams: 1, contextSize });
  const sockets = [];
  try {
    const request = `GET /health HTTP/1.1\r\nhost: localhost:${serving.port}\r\n\r\n`;
    const connect = async () => {
      const socket = net.connect(serving.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => undefined).write(request);
      const [answer] = await once(socket, "data");
      if (!answer.toString("latin1").startsWith("HTTP/1.1 200")) throw new Error(`answered ${answer}`);
    };
    await connect();
    const before = await serving.ask("memory");
    while (sockets.length <= connections)
      await Promise.all(Array.from({ length: Math.min(group, connections + 1 - sockets.length) }, connect));
    const after = await serving.ask("memory");
    const open = sockets.filter(({ readyState }) => readyState === "open").length - 1;
    if (open !== connections) throw new Error(`${open} of ${connections} connections are open`);
    return { connections, beforeMb: before.residentMb, afterMb: after.residentMb };
  } finally {
    for (const socket of sockets) socket.destroy();
    serving.end();
  }
}

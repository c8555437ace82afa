// The Host header. A page of another site can give its own name the address 127.0.0.1 and then send requests here with
// that name (DNS rebinding), so a server without keys takes only names of this machine.
import { ApiError } from "./api-error.js";
import type { Exchange } from "./exchange.js";

const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|::1|\[::1\])$/i.test(host);
}

/** Errors: 403 if the request was not sent to a name of this machine. */
export function checkHost(exchange: Exchange): void {
  if (local.test(exchange.header("host") ?? "")) return;
  const message = "The Host header must be localhost, 127.0.0.1 or [::1]; a server with API keys takes any host";
  throw new ApiError(403, message, { code: "invalid_host", closes: true });
}

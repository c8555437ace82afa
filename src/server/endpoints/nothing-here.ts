// The response at an unknown path: the client's base URL usually has /v1 twice, or lacks it.
import { ApiError } from "../http/api-error.js";

const mostShown = 200;

/** `at`: the path of an endpoint that the client may have meant; `host`: the Host header. */
export function nothingHere(path: string, at: string | undefined, host: string | undefined): ApiError {
  const shown = path.slice(0, mostShown).toWellFormed();
  const message =
    at === undefined
      ? `There is nothing at ${shown}`
      : `There is nothing at ${shown}, but at ${at}: ${bases(at, host)}`;
  return new ApiError(404, message, { code: "not_found" });
}

function bases(at: string, host: string | undefined): string {
  // A proxy may have another scheme and prefix, so the whole URL is named only for an address of this machine.
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host ?? "");
  const root = isLocal ? `http://${host}` : "the address of the server";
  const v1 = isLocal ? `${root}/v1` : `${root} with /v1`;
  const alone = isLocal ? root : `${root} alone`;
  if (!at.startsWith("/v1/")) return `the base URL of this path is ${alone}`;
  return `the base URL is ${v1} for clients of OpenAI, and ${alone} for clients of Anthropic`;
}

/** The path among `known` that a client may have meant, if a prefix was added or is missing. */
export function meantAt(path: string, known: (path: string) => boolean): string | undefined {
  // A longer path is not a typing error.
  if (path.length > mostShown) return undefined;
  const parts = path.split("/").filter((part) => part !== "");
  for (let from = 0; from < parts.length; from++) {
    const rest = `/${parts.slice(from).join("/")}`;
    const found = [rest, `/v1${rest}`].find((one) => one !== path && known(one));
    if (found !== undefined) return found;
  }
  return undefined;
}

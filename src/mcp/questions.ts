// Passes a server's questions for the user to the hooks at `elicitation`. Must not: answer a question that belongs to
// no call, because its user is unknown.
import type { Client, ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { LlamaHooksError } from "../index.js";
import type { OpenCall } from "./calls.js";
import { beyond, type Warnings } from "./failures.js";
import type { Server } from "./server-tools.js";

const mostQuestions = 64;
const declined: ElicitResult = { action: "decline" };

/** Answers the server's questions until the returned function is called. */
export function answerQuestions(server: Server, warnings: Warnings): () => void {
  const { client } = server;
  if (!takesHandler(client)) return () => undefined;
  client.setRequestHandler("elicitation/create", ({ params }) => {
    if (params.mode === "url") return refused(server, warnings, "a question that a page on the web asks (URL mode)");
    const call = server.calls.asking();
    if (call === "none") return refused(server, warnings, "a question while no call was under way");
    if (call === "several")
      return refused(server, warnings, "a question while several calls were under way, without saying for which");
    if (++call.questions > mostQuestions) {
      warnings.report(beyond(server.setup.origin, `asks more than ${mostQuestions} questions in a call`));
      return declined;
    }
    return answered(call, params as ElicitRequestFormParams);
  });
  return () => client.removeRequestHandler("elicitation/create");
}

/** False if the client has another handler for questions, or did not declare to the server that it takes questions. */
function takesHandler(client: Client): boolean {
  try {
    client.assertCanSetRequestHandler("elicitation/create");
  } catch {
    return false;
  }
  try {
    client.setRequestHandler("elicitation/create", () => declined);
    return true;
  } catch {
    return false;
  }
}

function refused({ setup }: Server, warnings: Warnings, what: string): ElicitResult {
  const message = `the MCP server ${setup.origin} asked ${what}; the answer was: decline`;
  warnings.report(new LlamaHooksError("MCP_FAILED", message));
  return declined;
}

/** An error is the server's answer: its question cannot be asked. */
async function answered(call: OpenCall, params: ElicitRequestFormParams): Promise<ElicitResult> {
  const message = params.message.replaceAll("\0", "\ufffd") || "The server asks for input.";
  const answer = await call.pausing(() => call.context.elicit({ message, schema: { ...params.requestedSchema } }));
  // The client checks the content: MCP has texts, numbers, booleans and lists of texts only.
  return answer.action === "accept"
    ? { action: "accept", content: answer.content as NonNullable<ElicitResult["content"]> }
    : { action: answer.action };
}

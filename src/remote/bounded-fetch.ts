// Implements fetch() for a remote model's address: it follows no redirects, and reads no more of an error than a
// message can show.

/** The maximum bytes of an error's body, decompressed. */
const mostErrorBytes = 2 ** 18;

/** Like `fetch`, but a redirect is an ordinary response: following it could send headers to another host. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  if (response.ok || response.body === null) return response;
  const { status, statusText, headers } = response;
  // The provider would read the whole body before it could be refused.
  return new Response(await beginning(response.body), { status, statusText, headers });
}

async function beginning(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < mostErrorBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value.subarray(0, mostErrorBytes - bytes));
      bytes += value.length;
    }
  } finally {
    reader.cancel().catch(() => undefined); // the outcome of the cancel does not matter
  }
  return new Uint8Array(Buffer.concat(chunks));
}

// fetch() for a remote model's address: no redirects, and no more of an error than a message can show.

/** Bytes of an error's body that are read, decompressed. */
const mostErrorBytes = 2 ** 18;

/** As `fetch`. A redirect is an answer like others: it could carry headers to another host. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  if (response.ok || response.body === null) return response;
  const { status, statusText, headers } = response;
  // The provider would read all of it before anybody could refuse it.
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
    reader.cancel().catch(() => undefined); // nobody hears how its end ended
  }
  return new Uint8Array(Buffer.concat(chunks));
}

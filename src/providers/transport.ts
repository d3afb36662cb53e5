import { Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, request } from "undici";

/**
 * A `fetch` for the vendors' packages on `undici.request`: the built-in one costs twice the CPU. A success comes
 * without a body; whoever called takes it from `bodyOf` as a Node stream and owns it. An error brings its text.
 */
export interface Transport {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  bodyOf(response: Response): Readable;
}

const errorBodyLimit = 64 * 1024;

export function openTransport(): Transport {
  // Silence is limited per call, by what was heard; the agent's own limits would cut models that think for long.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const bodies = new WeakMap<Response, Readable>();
  return {
    async fetch(input, init = {}) {
      if (typeof init.body !== "string") throw new TypeError("The request body is not text.");
      const url = input instanceof Request ? input.url : input;
      const { signal = null, body } = init;
      const answer = await request(url, { dispatcher, method: "POST", headers: ours(init.headers), body, signal });
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
      const stream = decoded(answer.body, headers.get("content-encoding"));
      if (answer.statusCode !== 200) {
        const text = answer.statusCode === 204 ? null : await startOf(stream);
        return new Response(text, { status: answer.statusCode, headers });
      }
      const response = new Response(null, { headers });
      bodies.set(response, stream);
      return response;
    },
    bodyOf: (response) => bodies.get(response) ?? Readable.from([]),
  };
}

// The packages add headers that describe this machine, and any that OPENAI_CUSTOM_HEADERS or ANTHROPIC_CUSTOM_HEADERS
// hold, to whichever vendor is called; only what a request needs goes out.
const wanted = ["accept", "authorization", "content-type", "user-agent", "anthropic-version", "anthropic-beta"];

function ours(init: RequestInit["headers"]): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  const given = new Headers(init);
  for (const name of wanted) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Some proxies compress although we ask them not to. */
function decoded(body: Readable, encoding: string | null): Readable {
  const decoder = encoding === null ? undefined : decoderOf(encoding.trim().toLowerCase());
  if (!decoder) return body;
  body.on("error", (error) => decoder.destroy(error));
  decoder.on("close", () => body.destroy());
  return body.pipe(decoder);
}

function decoderOf(encoding: string) {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip(flush);
  if (encoding === "deflate") return createInflate(flush);
  if (encoding === "br") return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}

/** The first 64 KiB: an error needs no more, and nobody promised that it ends. */
async function startOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= errorBodyLimit) break;
  }
  return Buffer.concat(chunks).subarray(0, errorBodyLimit).toString("utf8");
}

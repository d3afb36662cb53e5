import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Lists the encodings that are made, the smallest first. */
const encodings = ["br", "gzip"] as const;

export type ContentEncoding = (typeof encodings)[number];

/** Returns the smallest encoding that the header accepts. */
export function chooseEncoding(accepted: string): ContentEncoding | undefined {
  const names = accepted.split(",").flatMap((each) => {
    const [, name = "", refused] = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.0*)?)\s*$|;.*)?$/.exec(each) ?? [];
    return refused === undefined ? [name.toLowerCase()] : [];
  });
  return encodings.find((encoding) => names.includes(encoding)) ?? (names.includes("*") ? "gzip" : undefined);
}

/** Is the length, in bytes, below which a body grows by its compression or gains nothing. */
const shortestPacked = 1024;

const pack: Readonly<Record<ContentEncoding, (body: Uint8Array) => Promise<Buffer>>> = {
  // The usual quality of 11 is for files that are packed once.
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body),
};

/**
 * Returns the answer as its reader takes it: without a body for `HEAD`, as 304 where the reader has it already, and compressed. A
 * stream is left as it is. No cookie or other credential is sent without the caller's doing, so what a body says cannot be found
 * out by the lengths of compressed answers to forged requests.
 */
export async function encodeResponse(response: Response, { method, headers: asked }: Request): Promise<Response> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (isStream(headers) || response.body === null || !/json|^text\//.test(type)) return response;
  const isRead = (method === "GET" || method === "HEAD") && status === 200;
  let body: Uint8Array<ArrayBuffer> = new Uint8Array(await response.arrayBuffer());
  if (isRead && type.startsWith("application/json")) headers.set("etag", createTag(body));
  const tag = headers.get("etag");
  if (!headers.get("vary")?.includes("Accept-Encoding")) headers.append("vary", "Accept-Encoding");
  if (isRead && tag !== null && hasTag(asked.get("if-none-match"), tag)) {
    for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name);
    return new Response(null, { status: 304, headers });
  }
  const encoding = headers.has("content-encoding") ? undefined : chooseEncoding(asked.get("accept-encoding") ?? "");
  if (encoding !== undefined && body.length >= shortestPacked) {
    body = new Uint8Array(await pack[encoding](body));
    headers.set("content-encoding", encoding);
  }
  headers.set("content-length", String(body.length));
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

function isStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Creates a weak tag: it stands for the same content in every encoding. */
export function createTag(body: Uint8Array): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Compares as `If-None-Match` does: whether a tag is weak does not count (RFC 9110, section 13.1.2). */
function hasTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  const known = header.split(",").map((each) => each.trim().replace(/^W\//, ""));
  return known.includes("*") || known.includes(tag.replace(/^W\//, ""));
}

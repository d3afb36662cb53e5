import type { Transform } from "node:stream";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** More than two encodings of one body indicate an attack (CVE-2022-32206). */
const mostEncodings = 2;

/**
 * Returns the encodings of a body in the order in which they are decoded, and undefined when one of them, or their number, is
 * not supported.
 */
export function parseEncodings(header: string | undefined): string[] | undefined {
  const names = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const isKnown = names.every((name) => ["gzip", "x-gzip", "deflate", "br"].includes(name));
  return isKnown && names.length <= mostEncodings ? names.reverse() : undefined;
}

/** Reads and decodes at most `maxBytes` of a body, counted decoded; the rest is neither read nor unpacked. */
export async function readBody(
  sent: Readable,
  encodings: readonly string[],
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const source = await decodeStream(sent, encodings);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    source.destroy();
    sent.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

async function decodeStream(sent: Readable, encodings: readonly string[]): Promise<Readable> {
  let source = sent;
  for (const encoding of encodings) {
    const start = await readFirstByte(source);
    // What has no body has no encoding, whatever its headers say.
    if (start === undefined) return source;
    const decoder = createDecoder(encoding, start);
    // An error, and the end that `readBody` makes, go from one to the other; they are reported where it is read.
    pipeline(source, decoder, () => {});
    source = decoder;
  }
  return source;
}

/** Returns the first byte without consuming it, and undefined when there is none. */
async function readFirstByte(source: Readable): Promise<number | undefined> {
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    if (chunk.length === 0) continue;
    source.unshift(chunk);
    return chunk[0];
  }
  return undefined;
}

function createDecoder(encoding: string, start: number): Transform {
  if (encoding === "br") return createBrotliDecompress();
  if (encoding !== "deflate") return createGunzip();
  // The name means zlib's format; some servers send it without zlib's header, of which the low bits are always 8.
  return (start & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";

/** A shorter text is stored as it is, in bytes: to pack it takes longer than to write it. */
const shortestPacked = 4_000;

/** A text of at least this many bytes is packed by another thread; to hand over a shorter one takes longer than to pack it. */
const shortestHandedOver = 8 * 1024;

/** A longer one is packed at the fastest level, which takes a fourth of the time for 5 % more bytes. */
const longestWellPacked = 64 * 1024;

/** Is the first byte of a packed text: `plain` is followed by UTF-8, `packed` by its raw deflate stream. */
const plain = 0;
const packed = 1;

/** Prepares a text for a column of bytes. A long one is compressed beside the event loop. */
export async function packText(text: string, dictionary?: Buffer): Promise<Uint8Array> {
  const bytes = Buffer.from(text);
  if (bytes.length < shortestPacked) return Buffer.concat([Uint8Array.of(plain), bytes]);
  return Buffer.concat([Uint8Array.of(packed), await compress(bytes, dictionary)]);
}

/** Returns a packed text at once, for use within a transaction. */
export function packTextNow(text: string): Uint8Array {
  return Buffer.concat([Uint8Array.of(packed), deflateRawSync(text)]);
}

/** Returns the text that `packText` was given, with the same dictionary. Throws for other bytes. */
export function unpackText(bytes: Uint8Array, dictionary?: Buffer): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 1);
  if (bytes[0] === plain) return body.toString("utf8");
  if (bytes[0] !== packed) throw new Error(`unknown format of a packed text: ${bytes[0]}`);
  return inflateRawSync(body, { dictionary }).toString("utf8");
}

function compress(bytes: Buffer, dictionary: Buffer | undefined): Promise<Buffer> {
  const options = { level: bytes.length > longestWellPacked ? 1 : 6, dictionary };
  return new Promise((resolve, reject) => {
    if (bytes.length < shortestHandedOver) resolve(deflateRawSync(bytes, options));
    else deflateRaw(bytes, options, (error, body) => (error ? reject(error) : resolve(body)));
  });
}

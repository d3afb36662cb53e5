import type { Socket } from "node:net";

/** Limits the bytes of `100 Continue` responses that are skipped. A server that sends more fails. */
const mostBytes = 16_384;

const starts = ["HTTP/1.1 100", "HTTP/1.0 100"];

/** The status of an answer begins at this byte. Most begin with another digit, which is quicker to see. */
const statusAt = 9;
const one = 0x31;

const nothing: Buffer = Buffer.alloc(0);

/** Has a socket of one request keep back each `100 Continue` before its answer: undici fails at one that it did not ask for. */
export function ignoreContinue(socket: Socket): void {
  const { read } = socket;
  let held = nothing;
  let isPast = false;
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read.call(socket, size);
    if (isPast || !Buffer.isBuffer(chunk)) return chunk;
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const rest = skipContinue(bytes);
    isPast = !isIncomplete(rest) || rest.length >= mostBytes;
    held = isPast ? nothing : rest;
    return isPast ? rest : null;
  };
}

function skipContinue(bytes: Buffer): Buffer {
  const end = isIncomplete(bytes) ? bytes.indexOf("\r\n\r\n") : -1;
  return end < 0 ? bytes : skipContinue(bytes.subarray(end + 4));
}

/** Returns true when the bytes are too few to decide, or begin a `100 Continue` response. */
function isIncomplete(bytes: Buffer): boolean {
  if (bytes.length > statusAt && bytes[statusAt] !== one) return false;
  const start = bytes.toString("latin1", 0, 12);
  return starts.some((whole) => whole.startsWith(start));
}

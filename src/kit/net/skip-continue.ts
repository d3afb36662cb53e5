import type { Socket } from "node:net";

/** Bytes of `100 Continue` answers that are waited for; a server that sends more gets no further. */
const mostBytes = 16_384;

const starts = ["HTTP/1.1 100", "HTTP/1.0 100"];

/** Has a socket keep back each `100 Continue` before an answer: undici ends the connection at one that it did not ask for. */
export function ignoreContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let isPast = false;
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (isPast || !Buffer.isBuffer(chunk)) return chunk;
    held = withoutContinue(Buffer.concat([held, chunk]));
    if (isIncomplete(held) && held.length < mostBytes) return null;
    isPast = true;
    return held;
  };
}

function withoutContinue(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  return isContinue(bytes) && end >= 0 ? withoutContinue(bytes.subarray(end + 4)) : bytes;
}

function isContinue(bytes: Buffer): boolean {
  return starts.includes(bytes.toString("latin1", 0, 12));
}

/** Too short to tell, or not whole. */
function isIncomplete(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 12);
  return starts.some((whole) => whole.startsWith(start));
}

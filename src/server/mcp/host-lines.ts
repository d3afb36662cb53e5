import { Transform } from "node:stream";

/** Holds the part that was kept of a message that is too long. */
export interface RefusedMessage {
  bytes: number;
  /** Is the id of a request that waits for an answer. Is undefined when no id can be read, or when nothing waits. */
  id: string | number | undefined;
}

/** Limits how many bytes of a refused message are kept at each end, from which its id is read. */
const endBytes = 4096;

/**
 * Hands on whole lines, one by one, and leaves out those of more than `mostBytes`: the package's transport would end the
 * connection for one of them.
 */
export function createHostLines(mostBytes: number, onRefused: (refused: RefusedMessage) => void): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Holds the start of a line that is already too long. */
  let head: Buffer | undefined;

  function add(part: Buffer): void {
    bytes += part.length;
    parts.push(part);
    if (bytes <= mostBytes) return;
    const kept = Buffer.concat(parts);
    head ??= Buffer.from(kept.subarray(0, endBytes));
    parts = [Buffer.from(kept.subarray(-endBytes))];
  }

  function endLine(stream: Transform): void {
    const line = Buffer.concat(parts);
    if (head === undefined) stream.push(line);
    else onRefused({ bytes, id: findRequestId(head.toString("utf8"), line.toString("utf8")) });
    parts = [];
    bytes = 0;
    head = undefined;
  }

  return new Transform({
    // Each line is read alone, however many wait.
    readableObjectMode: true,
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, end + 1));
        from = end + 1;
        endLine(this);
      }
      if (from < chunk.length) add(chunk.subarray(from));
      done();
    },
  });
}

// Before anything that is nested, or as the last of all: what stands deeper may be called the same.
const methodFirst = /^\s*\{[^{}[\]]*"method"\s*:/;
const idFirst = /^\s*\{(?:[^{}[\]]*,)?\s*"id"\s*:\s*(-?\d+|"[^"\\]*")/;
const idLast = /,\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Only a request has both a method and an id. */
function findRequestId(head: string, tail: string): string | number | undefined {
  if (!methodFirst.test(head)) return undefined;
  const written = (idFirst.exec(head) ?? idLast.exec(tail))?.[1];
  if (written === undefined) return undefined;
  return written.startsWith('"') ? written.slice(1, -1) : Number(written);
}

import type { Readable } from "node:stream";

/** Bytes between two looks at the clock. */
const pieceLength = 8192;
/** How long one program may be listened to without a break, in milliseconds. */
const longestTurnMs = 1;
/** A break is as long as what was done before it, or twice the last one where a flood goes on; never longer, in milliseconds. */
const longestBreakMs = 20;

/**
 * Hands on what a program writes in small pieces, and takes a break whenever that has taken longer than its turn: what it
 * writes meanwhile waits in the pipe, and the program with it. Who goes on and on waits longer and longer; whoever writes
 * little is never kept waiting.
 */
export function readFairly(stream: Readable, take: (piece: Buffer) => void): void {
  let usedMs = 0;
  let lastEnded = performance.now();
  let breakMs = 0;

  /** Takes what it may of the chunk in this turn, and gives the rest. */
  function work(chunk: Buffer): Buffer {
    let began = performance.now();
    usedMs = Math.max(0, usedMs - (began - lastEnded));
    let offset = 0;
    while (offset < chunk.length && usedMs <= longestTurnMs) {
      take(chunk.subarray(offset, offset + pieceLength));
      offset += pieceLength;
      lastEnded = performance.now();
      usedMs += lastEnded - began;
      began = lastEnded;
    }
    return chunk.subarray(offset);
  }

  function go(chunk: Buffer): void {
    const isFlood = performance.now() - lastEnded < breakMs + longestBreakMs;
    const rest = work(chunk);
    if (usedMs <= longestTurnMs) {
      stream.resume();
      return;
    }
    stream.pause();
    breakMs = Math.min(isFlood ? Math.max(usedMs, 2 * breakMs) : usedMs, longestBreakMs);
    setTimeout(() => go(rest), breakMs);
  }

  stream.on("data", go);
}

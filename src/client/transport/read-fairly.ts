import type { Readable } from "node:stream";

/** Bytes between two looks at the clock. */
const pieceLength = 8192;
/** How long one program may be listened to without a break, in milliseconds. */
const longestTurnMs = 1;
/** A break is as long as what was done before it, up to this, in milliseconds: a flood gets half of our time at most. */
const longestBreakMs = 20;

/**
 * Hands on what a program writes in small pieces, and takes a break whenever that has taken longer than its turn: what it
 * writes meanwhile waits in the pipe, and the program with it. Whoever writes little is never kept waiting.
 */
export function readFairly(stream: Readable, take: (piece: Buffer) => void): void {
  let usedMs = 0;
  let lastEnded = performance.now();

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
    const rest = work(chunk);
    if (usedMs <= longestTurnMs) {
      stream.resume();
      return;
    }
    stream.pause();
    setTimeout(() => go(rest), Math.min(usedMs, longestBreakMs));
  }

  stream.on("data", go);
}

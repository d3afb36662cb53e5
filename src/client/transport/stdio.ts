import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { tryParseJson } from "../../kit/json.ts";
import type { Child } from "../../kit/process/child.ts";
import { messageLimit, valueLimit } from "../limits.ts";
import { createFloodGate } from "./flood-gate.ts";
import { type LineLimits, LineSplitter } from "./line-splitter.ts";
import { type ParseMessage, readMessage } from "./malformed-responses.ts";
import { ownErrors } from "./own-errors.ts";

/** The clock is read once per this many bytes. */
const pieceLength = 8192;

/** Limits how long one process is read without a break, in milliseconds. */
const longestTurnMs = 1;

/**
 * A break lasts as long as the work before it, or twice as long as the last break while a flood goes on, up to this limit in
 * milliseconds.
 */
const longestBreakMs = 20;

/**
 * Hands on what a program writes in small pieces, and takes a break whenever that has taken longer than its turn: what it
 * writes meanwhile waits in the pipe, and the program with it. Who goes on and on waits longer and longer; whoever writes
 * little is never kept waiting.
 */
export function readFairly(stream: Readable, onPiece: (piece: Buffer) => void): void {
  let usedMs = 0;
  let lastEnded = performance.now();
  let breakMs = 0;

  /** Takes what it may of the chunk in this turn, and gives the rest. */
  function processChunk(chunk: Buffer): Buffer {
    let began = performance.now();
    usedMs = Math.max(0, usedMs - (began - lastEnded));
    let offset = 0;
    while (offset < chunk.length && usedMs <= longestTurnMs) {
      onPiece(chunk.subarray(offset, offset + pieceLength));
      offset += pieceLength;
      lastEnded = performance.now();
      usedMs += lastEnded - began;
      began = lastEnded;
    }
    return chunk.subarray(offset);
  }

  function handleChunk(chunk: Buffer): void {
    const isFlood = performance.now() - lastEnded < breakMs + longestBreakMs;
    const rest = processChunk(chunk);
    if (usedMs <= longestTurnMs) {
      stream.resume();
      return;
    }
    stream.pause();
    breakMs = Math.min(isFlood ? Math.max(usedMs, 2 * breakMs) : usedMs, longestBreakMs);
    setTimeout(() => handleChunk(rest), breakMs);
  }

  stream.on("data", handleChunk);
}

/** Limits the bytes queued for a server that does not read. */
const waitingLimit = 2 * messageLimit;

/**
 * Speaks MCP over the pipes of a child. It replaces the package's own transport, which signals only the direct child, fails on
 * one long line and copies its buffer at each chunk.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #child: Child;
  readonly #parse: ParseMessage;
  readonly #gate = createFloodGate((line) => this.#receiveLine(line));
  #closed = false;
  /** Is true when a message other than a response came in this turn of the event loop. */
  #hasNoticed = false;

  constructor(child: Child, parse: ParseMessage) {
    this.#child = child;
    this.#parse = parse;
  }

  async start(): Promise<void> {
    const { ending, stdout } = this.#child;
    if (ending !== undefined) throw ending.error ?? new Error("The process ended before it was asked anything");
    const limits = { bytes: messageLimit, values: valueLimit };
    const lines = new LineSplitter(limits, {
      line: (text) => this.#read(text),
      tooLong: (part, text, limit) => this.#refuse(part === "head" ? findIdAtHead(text) : findIdAtTail(text), limit),
    });
    readFairly(stdout, (piece) => lines.push(piece));
    void this.#child.ended.then(() => this.#close());
  }

  /** Rejects when the server cannot take it: its input is closed, or it has stopped reading. */
  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child;
    if (stdin.writableLength > waitingLimit) {
      return Promise.reject(new Error(`The server does not read its input: ${stdin.writableLength} bytes are waiting`));
    }
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    await this.#child.stop();
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gate.close();
    this.onclose?.();
  }

  /** Sends a line without an id through the flood gate, because it is neither a response nor a request. */
  #read(line: string): void {
    if (line.trim() !== "" && (line.includes('"id"') || this.#gate.passes(line))) this.#receiveLine(line);
  }

  #receiveLine(line: string): void {
    const message = this.#message(line);
    if (message === undefined) {
      this.#child.words.push(Buffer.from(`${line.slice(0, 2000)}\n`));
      return;
    }
    if ("method" in message) this.#notice();
    else if (this.#hasNoticed) {
      setImmediate(() => this.#deliver(message));
      return;
    }
    this.#deliver(message);
  }

  /**
   * The package removes a call's progress listener when the response arrives, before it has delivered the notifications that
   * came just before.
   */
  #notice(): void {
    if (this.#hasNoticed) return;
    this.#hasNoticed = true;
    setImmediate(() => {
      this.#hasNoticed = false;
    });
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #message(line: string): JSONRPCMessage | undefined {
    const value = line.trimStart().startsWith("{") ? tryParseJson(line) : undefined;
    return value === undefined ? undefined : readMessage(value, this.#parse);
  }

  /** Fails the one request whose answer was too long, instead of the connection. */
  #refuse(id: number | undefined, limit: keyof LineLimits): void {
    if (id === undefined) return;
    const message =
      limit === "bytes"
        ? `The answer is longer than ${messageLimit / 1_000_000} MB`
        : `The answer holds more than ${valueLimit} JSON values`;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: ownErrors.tooLong, message } });
  }
}

// Servers write the id first or last; the id inside of a result is neither.
function findIdAtHead(text: string): number | undefined {
  const found = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(text);
  return found === null ? undefined : Number(found[1]);
}

function findIdAtTail(text: string): number | undefined {
  const found = /"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(text);
  return found === null ? undefined : Number(found[1]);
}

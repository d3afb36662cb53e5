import type { Readable } from "node:stream";
import type { HttpRefusal } from "../response/dialects.ts";
import { HttpRefusalError } from "../response/refusal.ts";
import type { RouteCall } from "../routes.ts";
import { jsonFaults, readJson } from "./read-json.ts";

/**
 * Returns the text of a body of at most `limit` bytes, or why it is refused. A body that declares a greater length is not read
 * at all, and one that declares none is read up to the limit.
 */
export function readBody(body: Readable, declared: string | null, limit: number): Promise<string | HttpRefusal> {
  if (Number(declared) > limit) return Promise.resolve(createTooLongRefusal(limit));
  /** Holds everything in one buffer: in a body that arrives byte by byte, each piece would take hundreds of bytes. */
  let held = Buffer.alloc(0);
  let size = 0;
  return new Promise((resolve) => {
    function finish(found: string | HttpRefusal): void {
      body.off("data", take).off("end", finishBody).off("error", cut).off("close", cut);
      resolve(found);
    }
    function take(piece: Buffer): void {
      const needed = size + piece.length;
      if (needed > limit) {
        body.pause();
        finish(createTooLongRefusal(limit));
        return;
      }
      if (needed > held.length) held = Buffer.concat([held], Math.max(needed, Math.min(limit, 2 * held.length)));
      piece.copy(held, size);
      size = needed;
    }
    const finishBody = (): void => finish(decode(held.subarray(0, size)));
    const cut = (): void => finish(createIncompleteRefusal(size, declared));
    body.on("data", take).once("end", finishBody).once("error", cut).once("close", cut);
    if (body.destroyed) cut();
  });
}

/** The decoder drops a byte order mark. */
function decode(body: Buffer): string | HttpRefusal {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return notText;
  }
}

/**
 * The connection stays open: a client that is still sending would get a reset in place of the answer. The HTTP package takes the rest and
 * throws it away, for half a second and at most 64 MiB, and closes the connection after that.
 */
function createTooLongRefusal(limit: number): HttpRefusal {
  return {
    status: 413,
    text: { zh: `请求正文超过 ${limit} 字节`, en: `the body is longer than ${limit} bytes` },
  };
}

const notText: HttpRefusal = {
  status: 400,
  code: -32700,
  text: { zh: "请求正文不是 UTF-8", en: "the body is not UTF-8" },
};

function createIncompleteRefusal(received: number, declared: string | null): HttpRefusal {
  const text =
    declared === null
      ? { zh: `收到 ${received} 字节后连接中断`, en: `the connection ended after ${received} bytes` }
      : { zh: `收到 ${received} 字节，应有 ${declared} 字节`, en: `${received} of ${declared} bytes arrived` };
  return {
    status: 400,
    code: -32700,
    text: { zh: `请求正文不完整（${text.zh}）`, en: `the body is incomplete (${text.en})` },
  };
}

const mostFileBody = 100_000_000;

/** Returns the limit for a request that may carry files, in bytes: eight times that of others. */
export function toFileBodyLimit(maxBody: number): number {
  return Math.max(maxBody, Math.min(8 * maxBody, mostFileBody));
}

/** Does the same for the body of a request, and resolves when it is its turn to be worked on. */
export async function readRequestBody(
  { request, connection }: Pick<RouteCall, "request" | "connection">,
  maxBody: number,
): Promise<string | HttpRefusal> {
  const text = await readBody(connection.body, request.headers.get("content-length"), maxBody);
  if (typeof text === "string") await connection.takeTurn(text.length);
  return text;
}

/** Returns the JSON of a request, of at most `maxBody` bytes. The caller checks its shape. Throws `HttpRefusalError`. */
export async function readJsonBody(call: Pick<RouteCall, "request" | "connection">, maxBody: number): Promise<unknown> {
  const text = await readRequestBody(call, maxBody);
  if (typeof text !== "string") throw new HttpRefusalError(text);
  const read = readJson(text);
  if ("fault" in read) throw new HttpRefusalError({ status: 400, text: jsonFaults[read.fault] });
  return read.value;
}

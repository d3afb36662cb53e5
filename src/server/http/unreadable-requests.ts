import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Locale } from "../../kit/locale.ts";
import { readAcceptedLocale } from "./request/accepted-locale.ts";
import type { HttpRefusal } from "./response/dialects.ts";
import { createRawAnswer } from "./response/raw-answer.ts";

/** Limits how long what still comes is taken and thrown away, in milliseconds. */
const lingerMs = 1000;

/**
 * Answers what is no HTTP that can be read: headers that are too long, or that take too long. A client that is still sending would
 * get a reset in place of the answer when its connection was closed at once, so the rest is taken for a moment.
 *
 * A connection on which nothing has come yet is no slow request: clients open one in advance, and would take an answer for that to the
 * request that they send just then. It may wait as long as one between two requests, and is closed without a word.
 */
export function answerUnreadable(
  server: Server,
  { headerBytes, keepAliveMs, headersMs }: { headerBytes: number; keepAliveMs: number; headersMs: number },
  locale: Locale,
): void {
  const answered = new WeakSet<object>();
  const responses = new WeakMap<object, ServerResponse>();
  server.on("request", ({ socket }, response) => void responses.set(socket, response));

  /** Node looks at such a connection again only once a request has begun on it. */
  function closeUnused(socket: Socket, ms: number): void {
    const timer = setTimeout(() => {
      if (responses.has(socket)) return;
      // A request may be on its way. What is none, such as blank lines, is given as long as one.
      if (socket.bytesRead === 0 || ms === headersMs) socket.destroy();
      else closeUnused(socket, headersMs);
    }, ms).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  server.on("clientError", (error: ParseError, socket: Socket) => {
    // The rest of the same request.
    if (answered.has(socket)) return;
    if (error.code === requestTimeout && socket.bytesRead === 0) return void closeUnused(socket, keepAliveMs);
    answered.add(socket);
    const response = responses.get(socket);
    const isBusy = response !== undefined && !response.writableFinished;
    if (!socket.writable || error.code === "ECONNRESET" || (isBusy && response.headersSent)) {
      socket.destroy();
      return;
    }
    const answer = createRawAnswer(toRefusal(error, headerBytes), readLocale(error, locale), readTarget(error));
    socket.end(render(answer));
    if (isBusy) return void socket.destroySoon();
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("end", () => socket.destroy()).once("close", () => clearTimeout(cut));
  });
}

/** Is the code with which Node reports a request that takes too long, once. */
const requestTimeout = "ERR_HTTP_REQUEST_TIMEOUT";

/** Is what Node reports: the parser's code, and the bytes at which it stopped. */
type ParseError = Error & { code?: string; rawPacket?: Buffer };

function toRefusal({ code = "", message }: ParseError, headerBytes: number): HttpRefusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return {
      status: 431,
      text: {
        zh: `请求头过长（允许：总共至多 ${headerBytes} 字节）`,
        en: `the headers are too long (allowed: at most ${headerBytes} bytes in all)`,
      },
    };
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return { status: 413, text: { zh: "分块的扩展过长", en: "the extensions of the chunks are too long" } };
  if (code === requestTimeout)
    return { status: 408, text: { zh: "请求没有及时到达", en: "the request did not arrive in time" } };
  const reason = message.replace(/^Parse Error: /, "");
  return { status: 400, text: { zh: `这不是 HTTP/1.1：${reason}`, en: `this is not HTTP/1.1: ${reason}` } };
}

/** Returns the language that the caller reads, where that is among the bytes, which may hold only a part of the headers. */
function readLocale({ rawPacket }: ParseError, otherwise: Locale): Locale {
  const [, accepted] = /^accept-language:([^\r\n]{1,500})\r?$/im.exec(rawPacket?.toString("latin1") ?? "") ?? [];
  return readAcceptedLocale(accepted, otherwise);
}

/** Returns the path in the first line, where that is among the bytes. */
function readTarget({ rawPacket }: ParseError): string {
  const line = rawPacket?.subarray(0, 1000).toString("latin1") ?? "";
  return /^[A-Z]{1,20} (\/[^\s]*) HTTP\//.exec(line)?.[1] ?? "/";
}

function render({ status, headers, body }: ReturnType<typeof createRawAnswer>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reasons[status] ?? "Bad Request"}\r\n${lines.join("")}\r\n${body}`;
}

const reasons: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
};

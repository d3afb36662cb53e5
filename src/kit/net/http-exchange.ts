import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { Client, errors } from "undici";
import { ignoreContinue } from "./ignore-continue.ts";

/** Describes one request to one host. Redirects are not followed. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

export interface HttpResponse {
  status: number;
  /** Maps names in lower case to values. The values of a name that came twice are joined by `, `. */
  headers: Record<string, string>;
  /** Holds the body as sent, still encoded. */
  body: Readable;
  /** Holds milliseconds since 1970, and is undefined without TLS. */
  certificateUntil: number | undefined;
}

/**
 * Sends one request over a socket of its own, which serves no other one: what a server sends unasked answers nothing.
 * `idleMs` limits the silence between two pieces of the body. Throws as undici does.
 */
export async function sendRequest(
  { url, method, headers, body }: Hop,
  socket: Socket,
  options: { idleMs: number; signal: AbortSignal },
): Promise<HttpResponse & AsyncDisposable> {
  // A socket that is closed has no certificate any more.
  const until = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : undefined;
  ignoreContinue(socket);
  let isTaken = false;
  const client = new Client(url.origin, {
    pipelining: 0,
    // The limit of the whole request covers the wait for the headers.
    headersTimeout: 0,
    bodyTimeout: options.idleMs,
    connect(_options, callback) {
      const again = isTaken;
      isTaken = true;
      // undici does not see a socket that it is given at once.
      process.nextTick(() => (again ? callback(new errors.SocketError(), null) : callback(null, socket)));
    },
  });
  const close = async (): Promise<void> => {
    socket.destroy();
    await client.destroy();
  };
  try {
    const path = `${url.pathname}${url.search}`;
    const response = await client.request({ path, method, headers, body, signal: options.signal });
    return {
      status: response.statusCode,
      headers: readHeaders(response.headers),
      // undici reports the end of a body that nobody read as an error of the body, which would end the process.
      body: response.body.on("error", () => {}),
      certificateUntil: until,
      async [Symbol.asyncDispose]() {
        response.body.destroy();
        await close();
      },
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Converts undici's headers so that each name has one text. */
export function readHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  return Object.fromEntries(entries);
}

import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Duet } from "../app.ts";
import { type Locale, say } from "../core/locale.ts";
import { sleep } from "../core/waiting.ts";
import { claimStdout } from "./claim-stdout.ts";
import { createFace, type FaceOptions } from "./face.ts";
import { createHostLines } from "./host-lines.ts";
import { tellWaiting } from "./tell-waiting.ts";

export interface StdioFace extends FaceOptions {
  duet: Duet;
  stdin: NodeJS.ReadableStream;
  /** Belongs to the protocol from now on; what others write to it goes to `stderr`. */
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** One line for the operator. */
  log(line: string): void;
  signal: AbortSignal;
}

/** The longest message that is taken from a host, in bytes. */
const messageLimit = 10_000_000;

/** How long the connection may take to close, in milliseconds. */
const closeMs = 1000;

/** Serves MCP over stdio until the client leaves or the signal aborts. */
export async function serveOverStdio({
  duet,
  stdin,
  stdout,
  stderr,
  log,
  signal,
  ...options
}: StdioFace): Promise<void> {
  const { locale } = duet;
  const lines = createHostLines(messageLimit, ({ bytes, id }) => {
    const message = say(locale, tooLong(bytes));
    log(message);
    if (id === undefined) return;
    const error = { code: -32600, message };
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  });
  const face = createFace(duet, options);
  const out = claimStdout(stdout, stderr);
  const transport = new StdioServerTransport(lines, out.stream, { maxBufferSize: 2 * messageLimit });
  const ended = closing(transport);
  const handle = serveStdio(() => face.createServer(), {
    transport,
    onerror: (error) => log(lineOf(error, locale)),
  });
  stdin.pipe(lines);
  const untell = tellWaiting({ gateway: duet.gateway(), locale, log });
  await new Promise<void>((resolve) => {
    void ended.then(resolve);
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  untell();
  stdin.unpipe(lines);
  stdin.pause();
  // What waits for a reader who has stopped reading must not keep us.
  await Promise.all([Promise.race([handle.close(), sleep(closeMs)]), out.release()]);
}

/** Settles when the transport is closed, by whomever. */
function closing(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve();
    };
  });
}

/** The package words a message that is none as a list of everything that it could have been. */
function lineOf(error: Error, locale: Locale): string {
  if (error.name !== "ZodError" && error.name !== "$ZodError") return error.message;
  return say(locale, {
    zh: "调用方发来的一条消息不是 JSON-RPC，已忽略。",
    en: "A message from the host is not JSON-RPC and was passed over.",
  });
}

function tooLong(bytes: number) {
  return {
    zh: `调用方的一条消息有 ${bytes} 字节，未予处理（允许：不超过 ${messageLimit}）。`,
    en: `A message from the host has ${bytes} bytes and was refused (allowed: at most ${messageLimit}).`,
  };
}

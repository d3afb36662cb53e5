import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Duet } from "../../app/duet.ts";
import { operator } from "../../core/caller.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, sleep, timeoutError } from "../../kit/async/timeout.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { ExitDeadline } from "../../kit/process/exit.ts";
import { readProcessorWaitMs } from "../../kit/process/processor-wait.ts";
import { openRunService } from "../../runs/run-service.ts";
import type { Log } from "../operations/log.ts";
import { reportStore } from "../operations/report-store.ts";
import { resumeInterrupted } from "../operations/resume-interrupted.ts";
import { reportUnapproved } from "./announce-changes.ts";
import { createHostLines } from "./host-lines.ts";
import { createMcpInterface, type McpInterfaceOptions } from "./mcp-interface.ts";
import { createStreamFilters } from "./stream-filters.ts";
import { createUnreadableLines } from "./unreadable-lines.ts";

export interface StdioServerOptions extends Omit<McpInterfaceOptions, "service"> {
  duet: Duet;
  stdin: NodeJS.ReadableStream;
  /** Belongs to the protocol from now on; what others write to it goes to `stderr`. */
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Writes one line for the operator. */
  log: Log;
  signal: AbortSignal;
  /** Starts when the host has closed stdin. */
  deadline?: ExitDeadline | undefined;
}

/** Limits a message from a host, in bytes. */
const messageLimit = 10_000_000;

/**
 * How long the process may take to end, in milliseconds, once the host has closed stdin: hosts wait about two seconds before they
 * send signals. Requests that are open then get 450 of them to be answered, and 200 more once their runs are cancelled.
 */
const endOfInputMs = 850;
const answerMs = 450;
const cancelledAnswerMs = 200;
const endingMs = endOfInputMs - answerMs - cancelledAnswerMs;

/**
 * Limits both waits on a busy machine, where they grow by the time that this process has waited for a processor, in milliseconds. The
 * second one goes on through a host's SIGTERM, and ends before its SIGKILL, which comes after four seconds.
 */
const longestAnswerMs = 1200;
const longestCancelledAnswerMs = 1500;

/**
 * Limits how long a host that has sent a signal is still read once its runs are cancelled, in milliseconds: a result that follows
 * progress waits for its answer to a ping. Requests that are open after that get `cancelledAnswerMs` more, without that answer.
 */
const pongMs = 250;

/** Is after how long the store is opened, in milliseconds: a host waits for the first answers before that. */
const storeCheckMs = 1000;

/** Limits how long the connection may take to close, in milliseconds. */
const closeMs = 100;

/**
 * Serves MCP over stdio until the client leaves or the signal aborts. A client that has closed stdin may still read: what is open
 * then is answered if that does not take long. A signal cancels what is open, and tells it. Gives what has to be waited for before
 * the process ends: that the host has read what was sent.
 */
export async function serveOverStdio({
  duet,
  stdin,
  stdout,
  stderr,
  log,
  signal,
  deadline,
  ...options
}: StdioServerOptions): Promise<{ written: Promise<void> }> {
  const { locale } = duet;
  const lines = createHostLines(messageLimit, ({ bytes, id }) => {
    const message = say(locale, describeTooLong(bytes));
    log(message, "warn");
    if (id === undefined) return;
    const error = { code: -32600, message };
    void ignoreRejection(transport.send({ jsonrpc: "2.0", id, error }), "the host may have closed its end already");
  });
  const service = openRunService(duet, { ...options, entrance: "stdio" });
  const mcp = createMcpInterface(duet, { ...options, service });
  const out = claimStdout(stdout, stderr);
  const transport = new StdioServerTransport(lines, out.stream, { maxBufferSize: 2 * messageLimit });
  const ended = waitForClose(transport);
  const input = new AbortController();
  const streams = createStreamFilters();
  const details = { inputEnded: input.signal, onSubscriptions: streams.attach };
  let server: McpServer | undefined;
  const getRevision = (): string | undefined => server?.server.getNegotiatedProtocolVersion();
  const unreadable = createUnreadableLines({ transport, locale, log, getRevision });
  const handle = serveStdio(
    async () => {
      server = await mcp.createServer(operator, false, details);
      return server;
    },
    { transport, onerror: unreadable.onError },
  );
  unreadable.follow(lines);
  streams.follow(transport);
  const requests = followRequests(transport);
  // The end of stdin would close the transport, and what is open would get no answer.
  stdin.pipe(lines, { end: false });
  const stopReporting = reportUnapproved({ gateway: duet.gateway(), locale, log });
  const stopReportingStore = reportStore({ storeHealth: duet.storeHealth, locale, log, checkAfterMs: storeCheckMs });
  const stopResuming = resumeInterrupted({
    storedRuns: duet.storedRuns,
    service,
    locale,
    log,
    lookAfterMs: storeCheckMs,
  });
  await new Promise<void>((resolve) => {
    void ended.then(resolve);
    input.signal.addEventListener("abort", () => resolve(), { once: true });
    for (const event of ["end", "close", "error"]) stdin.once(event, () => input.abort());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  stopReporting();
  stopReportingStore();
  stopResuming();
  const isInterrupted = signal.aborted;
  if (!isInterrupted) {
    deadline?.set(longestAnswerMs + longestCancelledAnswerMs + endingMs);
    // The last lines are handed on in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    await waitForAnswers(requests, answerMs, longestAnswerMs);
    deadline?.set(longestCancelledAnswerMs + endingMs);
  }
  for (const run of service.runs.stop()) run.cancel("server-ends");
  if (isInterrupted) await runWithin(pongMs, requests.waitForAnswers);
  stdin.unpipe(lines);
  stdin.pause();
  input.abort();
  await waitForAnswers(requests, cancelledAnswerMs, longestCancelledAnswerMs);
  refuseOpenRequests(requests, transport, locale);
  if (!isInterrupted) deadline?.set(endingMs);
  await Promise.race([handle.close(), sleep(closeMs)]);
  return { written: out.release() };
}

/** Answers what is still open: a host that waits for an answer must not have to guess from the end of the connection. */
export function refuseOpenRequests(requests: OpenRequests, transport: Transport, locale: Locale): void {
  const message = say(locale, { zh: "Duet 正在退出，请求已取消。", en: "Duet is ending; the request was cancelled." });
  for (const id of requests.list()) {
    const error = { code: -32000, message };
    void ignoreRejection(transport.send({ jsonrpc: "2.0", id, error }), "the host may have closed its end already");
  }
}

/** Waits for answers `ms`, and as much longer as the process has waited for a processor meanwhile, `longestMs` in all. */
async function waitForAnswers(requests: OpenRequests, ms: number, longestMs: number): Promise<void> {
  const waitedMs = readProcessorWaitMs();
  await runWithin(ms, requests.waitForAnswers);
  const delayMs = Math.min(readProcessorWaitMs() - waitedMs, longestMs - ms);
  if (delayMs > 0) await runWithin(delayMs, requests.waitForAnswers);
}

/** The signal tells the work that its time is over, and the work must obey it. */
async function runWithin(ms: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const limit = createTimeLimit(ms, () => timeoutError("stop", ms));
  await work(limit.signal);
  limit.clear();
}

/** Settles when the transport is closed, by whomever. */
function waitForClose(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve();
    };
  });
}

function describeTooLong(bytes: number) {
  return {
    zh: `宿主发来的一条消息有 ${bytes} 字节，未予处理（允许：不超过 ${messageLimit}）。`,
    en: `A message from the host has ${bytes} bytes and was refused (allowed: at most ${messageLimit}).`,
  };
}

/** Represents stdout while it is reserved for the protocol. */
export interface ClaimedStdout {
  readonly stream: Writable;
  /** Resolves when everything that was written has been taken by the reader's pipe; never rejects. */
  written(): Promise<void>;
  /** Takes no more; resolves as `written` does, and gives stdout back then. A reader that has stopped reading keeps it waiting. */
  release(): Promise<void>;
}

/**
 * Keeps stdout for the protocol: only what is written to the stream that it gives gets there. Whatever else in the process writes to
 * stdout, such as a module of the user's, is heard on `stderr`.
 */
export function claimStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): ClaimedStdout {
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr);
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write.call(stdout, chunk, encoding, done),
  });
  // Each message that waits for a slow reader listens for its turn; one that comes too late fails by itself.
  stream.setMaxListeners(0).on("error", () => {});
  return {
    stream,
    written: () =>
      new Promise((resolve) => {
        if (stream.writableEnded || stream.destroyed) resolve();
        else stream.write("", () => resolve());
      }),
    async release() {
      stream.end();
      await ignoreRejection(finished(stream), "the stream is over in any case");
      stdout.write = write;
    },
  };
}

/** Tracks the requests of a host that wait for an answer. */
export interface OpenRequests {
  /** Returns the ids of those that have no answer yet. */
  list(): (string | number)[];
  /** Resolves when each is answered, or when the signal aborts. */
  waitForAnswers(signal: AbortSignal): Promise<void>;
}

/** Follows what goes through a transport that is already connected. */
export function followRequests(transport: Transport): OpenRequests {
  const open = new Set<string | number>();
  const waiting = new Set<() => void>();
  function close(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    open.delete(id);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }
  const { onmessage } = transport;
  transport.onmessage = (received, extra) => {
    const message = repairCancel(received);
    if ("method" in message && "id" in message) open.add(message.id);
    // A request that is cancelled gets no answer.
    else if (isCancel(message)) close(message.params?.requestId);
    onmessage?.call(transport, message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const sent = send(message, options);
    if (!("method" in message)) close(message.id);
    await sent;
  };
  return {
    list: () => [...open],
    waitForAnswers: (signal) =>
      new Promise((resolve) => {
        if (open.size === 0 || signal.aborted) return resolve();
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}

/** The TypeScript SDK 1.0.1 leaves out the prefix, and its user would pay for what was stopped. */
function repairCancel(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message) || message.method !== "cancelled" || "id" in message) return message;
  return { ...message, method: "notifications/cancelled" };
}

function isCancel(message: JSONRPCMessage): message is JSONRPCMessage & { params?: Record<string, unknown> } {
  return "method" in message && message.method === "notifications/cancelled";
}

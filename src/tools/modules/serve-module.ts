// The thread in which a module of the user's runs: what it does there for ever, or wrongly, leaves the program alone.
import { flushCompileCache } from "node:module";
import { StringDecoder } from "node:string_decoder";
import { inspect } from "node:util";
import { workerData } from "node:worker_threads";
import { DuetError } from "../../kit/errors.ts";
import type {
  FromWorker,
  Input,
  ModuleContext,
  ModuleKind,
  ModuleServer,
  PlainError,
  ToWorker,
  WorkerData,
} from "./messages.ts";
import { sharePackages } from "./share-packages.ts";

/** Limits the characters that a module may print within a second. The rest is left out, and how much that was is reported. */
const mostPerSecond = 1_000_000;

/**
 * Gives what this thread writes to stdout and stderr, by whatever name, to `send`: it must arrive before the result of the call that
 * printed it, and must not wait until a thread that works on and on comes to rest. `sendMissing` gets the number of characters left out.
 */
export function sendOutput(send: (text: string) => void, sendMissing: (characters: number) => void): void {
  const limited = limitPerSecond(send, sendMissing);
  for (const stream of [process.stdout, process.stderr]) {
    const decoder = new StringDecoder("utf8");
    stream.write = (
      chunk: string | Uint8Array,
      encoding?: BufferEncoding | ((error?: Error | null) => void),
      done?: (error?: Error | null) => void,
    ): boolean => {
      limited(typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
      const callback = typeof encoding === "function" ? encoding : done;
      if (callback) queueMicrotask(callback);
      return true;
    };
  }
  // Node's own way would write to the terminal directly. That a feature is experimental is reported by the program, if at all.
  process.removeAllListeners("warning").on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") limited(`${name}: ${message}\n`);
  });
}

/** Drops what goes over the limit of a second; how much that was is reported as soon as the second is over. */
function limitPerSecond(
  send: (text: string) => void,
  sendMissing: (characters: number) => void,
): (text: string) => void {
  let second = 0;
  let sent = 0;
  let missing = 0;
  let timer: NodeJS.Timeout | undefined;
  function reportMissing(): void {
    clearTimeout(timer);
    timer = undefined;
    if (missing > 0) sendMissing(missing);
    missing = 0;
  }
  return (text) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      sent = 0;
      reportMissing();
    }
    const part = text.slice(0, mostPerSecond - sent);
    sent += part.length;
    missing += text.length - part.length;
    if (part !== "") send(part);
    // Nothing may be printed after it.
    if (missing > 0) timer ??= setTimeout(reportMissing, 1000).unref();
  };
}

/** Limits progress notifications per second; more would carry no information. */
const progressPerSecond = 50;
const longestProgress = 4000;

/** After this idle time, what loading has left in memory is released, in milliseconds. */
const restMs = 500;

const { port, kind, path, file, lendTo, compileCache }: WorkerData = workerData;
const going = new Map<number, AbortController>();

function send(message: FromWorker): void {
  port.postMessage(message);
}

async function open(): Promise<ModuleServer> {
  if (kind === "tools") return (await import("./serve-tools.ts")).serveTools(path, file);
  return (await import("./serve-function.ts")).serveFunction(path);
}

async function load(): Promise<ModuleServer | undefined> {
  try {
    const served = await open();
    send({ type: "loaded", description: served.description });
    return served;
  } catch (thrown) {
    const text = thrown instanceof DuetError ? thrown.text : { zh: String(thrown), en: String(thrown) };
    send({ type: "refused", text });
    return undefined;
  }
}

async function call(opened: Promise<ModuleServer>, id: number, input: Input<ModuleKind>): Promise<void> {
  const controller = new AbortController();
  going.set(id, controller);
  send({ type: "started", id });
  try {
    const served = await opened;
    const output = await served.call(input, createContext(id, controller.signal));
    send({ type: "result", id, output });
  } catch (thrown) {
    send({ type: "failed", id, error: toPlainError(thrown) });
  } finally {
    going.delete(id);
  }
}

function createContext(id: number, signal: AbortSignal): ModuleContext {
  let second = 0;
  let count = 0;
  return {
    signal,
    progress(message) {
      const now = Math.floor(performance.now() / 1000);
      count = now === second ? count + 1 : 1;
      second = now;
      if (count <= progressPerSecond)
        send({ type: "progress", id, message: String(message).slice(0, longestProgress) });
    },
  };
}

function receiveMessage(opened: Promise<ModuleServer>, message: ToWorker): void {
  if (message.type === "ping") send({ type: "pong", id: message.id });
  if (message.type === "call") void call(opened, message.id, message.input);
  if (message.type === "abort") going.get(message.id)?.abort(toReason(message.reason));
}

function toReason({ name, message }: PlainError): Error {
  return name === "AbortError" || name === "TimeoutError"
    ? new DOMException(message, name)
    : Object.assign(new Error(message), { name });
}

function toPlainError(thrown: unknown): PlainError {
  if (thrown instanceof Error) return { name: String(thrown.name), message: String(thrown.message || thrown.name) };
  return { name: "Error", message: typeof thrown === "string" ? thrown : inspect(thrown) };
}

/** Loading leaves about as much memory in use as a thread needs. An idle thread releases it. */
function clearGlobals(): void {
  if (compileCache !== undefined) flushCompileCache();
  // Where Node was built without an inspector the thread stays a little larger.
  if (!process.features.inspector) return;
  const { Session } = process.getBuiltinModule("node:inspector");
  const session = new Session();
  session.connect();
  // V8 locks itself out where the session ends within the callback.
  session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
}

sendOutput(
  (text) => send({ type: "output", text }),
  (characters) => send({ type: "output-missing", characters }),
);

sharePackages(lendTo);

const opened = Promise.withResolvers<ModuleServer>();

// It keeps the thread alive also while the module waits for what never comes.
port.on("message", (message: ToWorker) => receiveMessage(opened.promise, message));

send({ type: "importing" });

void load().then((served) => {
  if (served === undefined) return;
  opened.resolve(served);
  setTimeout(clearGlobals, restMs).unref();
});

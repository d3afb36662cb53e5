import { StringDecoder } from "node:string_decoder";

/** Characters that a module may print within a second; what is more is left out, and that is told. */
const mostPerSecond = 1_000_000;

/**
 * Gives what this thread writes to stdout and stderr, by whatever name, to `send`: it must arrive before the result of the call that
 * printed it, and must not wait until a thread that works on and on comes to rest. `sendMissing` is told how many characters were left out.
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
      const told = typeof encoding === "function" ? encoding : done;
      if (told) queueMicrotask(told);
      return true;
    };
  }
  // Node's own way would write to the terminal directly. That a feature is experimental is told by the program, if at all.
  process.removeAllListeners("warning").on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") limited(`${name}: ${message}\n`);
  });
}

/** Drops what goes over the limit of a second; how much that was is told as soon as the second is over. */
function limitPerSecond(
  send: (text: string) => void,
  sendMissing: (characters: number) => void,
): (text: string) => void {
  let second = 0;
  let sent = 0;
  let missing = 0;
  let timer: NodeJS.Timeout | undefined;
  function tellMissing(): void {
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
      tellMissing();
    }
    const part = text.slice(0, mostPerSecond - sent);
    sent += part.length;
    missing += text.length - part.length;
    if (part !== "") send(part);
    // Nothing may be printed after it.
    if (missing > 0) timer ??= setTimeout(tellMissing, 1000).unref();
  };
}

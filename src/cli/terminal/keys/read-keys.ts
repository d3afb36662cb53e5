import { createKeyDecoder } from "./decode-keys.ts";
import type { Key } from "./key.ts";

/** Reads the keys of a terminal in raw mode, until it is closed. */
export interface KeyReading {
  /** Gives the terminal its mode back and stops reading, so that the process may end. Never throws. */
  close(): void;
}

/** Keys are read from `process.stdin` or a substitute for it. */
export interface KeyInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/** `onEnd` is called once, when the input has ended: it was closed, or its terminal is gone. */
export function readKeys(stdin: KeyInput, onKey: (key: Key) => void, onEnd: () => void): KeyReading {
  const decoder = createKeyDecoder();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;

  function passKeys(keys: readonly Key[]): void {
    for (const key of keys) {
      if (!isOpen) return;
      onKey(key);
    }
  }

  function read(chunk: Uint8Array | string): void {
    clearTimeout(timer);
    passKeys(decoder.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
    const { patienceMs } = decoder;
    if (patienceMs === undefined || !isOpen) return;
    timer = setTimeout(() => passKeys(decoder.flush()), patienceMs);
    timer.unref();
  }

  function endInput(): void {
    if (!isOpen) return;
    passKeys(decoder.flush());
    if (!isOpen) return;
    close();
    onEnd();
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    stdin.off("data", read).off("end", endInput).off("close", endInput);
    setRawMode(stdin, false);
    stdin.pause();
    // What a terminal that goes away still has to say must not end the process.
    stdin.off("error", endInput).on("error", ignore);
  }

  stdin.off("error", ignore);
  stdin.on("data", read).on("end", endInput).on("close", endInput).on("error", endInput);
  setRawMode(stdin, true);
  if (stdin.readableEnded || stdin.destroyed) setImmediate(endInput);
  else stdin.resume();
  return { close };
}

function ignore(): void {}

/** A terminal that is gone has no mode and emits an `error` event, which ends the reading. */
function setRawMode(stdin: KeyInput, isRaw: boolean): void {
  if (stdin.isTTY === true) stdin.setRawMode?.(isRaw);
}

import { PassThrough, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { ChatFace, ChatHandler } from "../../../src/cli/chat/chat-interface.ts";
import { createPlainFace, type PlainFaceOptions } from "../../../src/cli/chat/plain/plain-interface.ts";
import { createStepBook } from "../../../src/cli/chat/steps/step-log.ts";
import { createEmulatedOutput, type EmulatedOutput } from "../terminal/screen/emulated-output.ts";

/** A plain face with somebody at it. */
export interface PlainDesk {
  face: ChatFace;
  emulator: EmulatedOutput;
  /** All that was written to the terminal; of a pipe, stdout alone. */
  stdout(): string;
  stderr(): string;
  type(keys: string): Promise<void>;
  /** Nothing more comes. */
  endInput(): Promise<void>;
}

export interface DeskOptions extends Partial<Omit<PlainFaceOptions, "console" | "handler">> {
  isTerminal?: boolean;
  handler?: Partial<ChatHandler>;
}

export function openPlainDesk({ isTerminal = true, handler, ...more }: DeskOptions = {}): PlainDesk {
  const emulator = createEmulatedOutput(60, 20);
  let out = "";
  let err = "";
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal, setRawMode() {} });
  const onTerminal = (text: string): void => void emulator.stdout.write(text.replaceAll("\n", "\r\n"));
  const stdout = sink(isTerminal, (text) => {
    out += text;
    onTerminal(text);
  });
  const stderr = sink(isTerminal, (text) => {
    if (isTerminal) out += text;
    else err += text;
    onTerminal(text);
  });
  const stop = new AbortController();
  const face = createPlainFace({
    console: { stdin, stdout, stderr },
    handler: {
      locale: "en",
      prompt: () => "Chat mode > ",
      status: () => "",
      stop: () => false,
      leave() {},
      expand() {},
      complete: async () => undefined,
      ...handler,
    },
    steps: createStepBook(),
    verbose: false,
    hyperlinks: false,
    isScreenReader: false,
    signal: stop.signal,
    ...more,
  });
  onTestFinished(() => face.close());
  return {
    face,
    emulator,
    stdout: () => out,
    stderr: () => err,
    async type(keys) {
      stdin.write(keys);
      await new Promise(setImmediate);
    },
    async endInput() {
      stdin.end();
      await new Promise(setImmediate);
    },
  };
}

function sink(isTTY: boolean, take: (text: string) => void): Writable & { isTTY: boolean } {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      take(String(text));
      done();
    },
  });
  return Object.assign(stream, { isTTY });
}

import { PassThrough, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { ChatHandler, ChatInterface } from "../../../../src/cli/chat/interface/chat-interface.ts";
import {
  createPlainInterface,
  type PlainInterfaceOptions,
} from "../../../../src/cli/chat/interface/plain/plain-interface.ts";
import { createStepLog } from "../../../../src/cli/chat/steps/step-log.ts";
import { createEmulatedOutput, type EmulatedOutput } from "../../terminal/screen/emulated-output.ts";

/** A plain interface with a person who types. */
export interface PlainConsole {
  chatInterface: ChatInterface;
  emulator: EmulatedOutput;
  /** All that was written to the terminal; of a pipe, stdout alone. */
  stdout(): string;
  stderr(): string;
  type(keys: string): Promise<void>;
  /** Nothing more comes. */
  endInput(): Promise<void>;
}

export interface PlainConsoleOptions extends Partial<Omit<PlainInterfaceOptions, "console" | "handler">> {
  isTerminal?: boolean;
  handler?: Partial<ChatHandler>;
}

export function openPlainConsole({ isTerminal = true, handler, ...more }: PlainConsoleOptions = {}): PlainConsole {
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
  const chatInterface = createPlainInterface({
    console: { stdin, stdout, stderr },
    handler: {
      locale: "en",
      prompt: () => "Chat mode > ",
      status: () => "",
      starting: [],
      offered: undefined,
      message: () => false,
      messages: [],
      takeMessages: () => [],
      stop: () => false,
      leave() {},
      expand() {},
      complete: async () => undefined,
      ...handler,
    },
    steps: createStepLog(),
    verbose: false,
    hyperlinks: false,
    isScreenReader: false,
    signal: stop.signal,
    ...more,
  });
  onTestFinished(() => chatInterface.close());
  return {
    chatInterface,
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

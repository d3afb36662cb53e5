import headless from "@xterm/headless";
import type { TerminalSize } from "./pseudo-terminal.ts";

// The addon reads its table from the start of the memory behind a Buffer. Node puts small Buffers into a shared one unless the pool
// has no size.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { default: graphemes } = await import("@xterm/addon-unicode-graphemes").finally(() => {
  Buffer.poolSize = poolSize;
});

/** What a terminal shows of the bytes that it was sent: a real emulator, with 10,000 lines of scrollback. */
export interface Emulator {
  /** Settles when the emulator has read them. */
  write(bytes: Uint8Array | string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** The rows of the screen now, from the top, without the spaces at their ends. */
  rows(): string[];
  /** Every row that there is, also above the screen, to the last that is not empty. */
  allRows(): string[];
  /** Every line that there is, also above the screen, to the last that is not empty; a line that the terminal wrapped is one. */
  scrollback(): string[];
  /** From 0 on, in the screen. */
  cursor(): { row: number; column: number };
  /** What the terminal has answered to questions in the bytes; a program that asks none gets no answer. */
  answers(): string[];
  /** The cells of the screen, for whoever draws them. */
  readonly terminal: headless.Terminal;
}

export function createEmulator({ columns, lines }: TerminalSize): Emulator {
  const terminal = new headless.Terminal({ cols: columns, rows: lines, scrollback: 10_000, allowProposedApi: true });
  terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
  const answers: string[] = [];
  terminal.onData((answer) => void answers.push(answer));

  function write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => terminal.write(bytes, resolve));
  }

  function line(index: number): string {
    return terminal.buffer.active.getLine(index)?.translateToString(true) ?? "";
  }

  return {
    write,
    async resize(size) {
      await write("");
      terminal.resize(size.columns, size.lines);
    },
    rows: () => Array.from({ length: terminal.rows }, (_, row) => line(terminal.buffer.active.baseY + row)),
    allRows() {
      const all = Array.from({ length: terminal.buffer.active.length }, (_, index) => line(index));
      return all.slice(0, all.findLastIndex((row) => row !== "") + 1);
    },
    scrollback() {
      const all: string[] = [];
      for (let index = 0; index < terminal.buffer.active.length; index++) {
        const isWrapped = terminal.buffer.active.getLine(index)?.isWrapped === true;
        if (isWrapped) all.push((all.pop() ?? "") + line(index));
        else all.push(line(index));
      }
      while (all.at(-1) === "") all.pop();
      return all;
    },
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    answers: () => answers,
    terminal,
  };
}

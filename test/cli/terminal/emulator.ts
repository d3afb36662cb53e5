import { EventEmitter } from "node:events";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import headless from "@xterm/headless";
import type { ScreenOutput } from "../../../src/cli/terminal/screen.ts";

/** A terminal to draw on: what is written to it waits until it is asked what it shows. */
export interface Emulator {
  readonly stdout: ScreenOutput;
  /** All bytes since the last time that they were taken. */
  takeBytes(): string;
  /** The next writes say that they wait, until it reads on. */
  stopReading(): void;
  readOn(): void;
  /** The connection is lost. */
  breakOff(): void;
  resize(columns: number, rows: number): Promise<void>;
  /** All rows, what has scrolled away first; without the empty ones at the end. */
  rows(): Promise<string[]>;
  /** All text, with the rows that belong together as one line. */
  lines(): Promise<string[]>;
  /** The index of the cursor's row in `rows`, and its column. */
  cursor(): Promise<{ row: number; column: number }>;
}

export function createEmulator(columns: number, rows: number): Emulator {
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.unicode.activeVersion = "15-graphemes";
  const events = new EventEmitter();
  let bytes = "";
  let isReading = true;
  let isThere = true;
  const settled = (): Promise<void> => new Promise((resolve) => terminal.write("", resolve));
  const stdout = {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    get writable() {
      return isThere;
    },
    write(text: string) {
      bytes += text;
      terminal.write(text);
      return isReading;
    },
    on: (event: string, listener: () => void) => events.on(event, listener),
    off: (event: string, listener: () => void) => events.off(event, listener),
  };
  function allRows(): { text: string; isWrapped: boolean }[] {
    const buffer = terminal.buffer.active;
    const all = Array.from({ length: buffer.length }, (_, index) => ({
      text: buffer.getLine(index)?.translateToString(true) ?? "",
      isWrapped: buffer.getLine(index)?.isWrapped ?? false,
    }));
    return all.slice(0, all.findLastIndex(({ text }) => text !== "") + 1);
  }
  return {
    stdout,
    takeBytes() {
      const taken = bytes;
      bytes = "";
      return taken;
    },
    stopReading() {
      isReading = false;
    },
    readOn() {
      isReading = true;
      events.emit("drain");
    },
    breakOff() {
      isThere = false;
      events.emit("error", new Error("write EPIPE"));
    },
    async resize(newColumns, newRows) {
      await settled();
      terminal.resize(newColumns, newRows);
      events.emit("resize");
    },
    async rows() {
      await settled();
      return allRows().map(({ text }) => text);
    },
    async lines() {
      await settled();
      const lines: string[] = [];
      for (const { text, isWrapped } of allRows()) {
        if (isWrapped) lines.push((lines.pop() ?? "") + text);
        else lines.push(text);
      }
      return lines;
    },
    async cursor() {
      await settled();
      const { baseY, cursorY, cursorX } = terminal.buffer.active;
      return { row: baseY + cursorY, column: cursorX };
    },
  };
}

import { EventEmitter } from "node:events";
import type { ScreenOutput } from "../../../../src/cli/terminal/screen/screen.ts";
import { createEmulator } from "../../../fakes/emulator.ts";

/** A terminal to draw on: what is written to it waits until it is asked what it shows. */
export interface EmulatedOutput {
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
  /** The index of the cursor's row in `rows`, and its column. */
  cursor(): Promise<{ row: number; column: number }>;
}

export function createEmulatedOutput(columns: number, rows: number): EmulatedOutput {
  const emulator = createEmulator({ columns, lines: rows });
  const { terminal } = emulator;
  const events = new EventEmitter();
  let bytes = "";
  let isReading = true;
  let isThere = true;
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
      void emulator.write(text);
      return isReading;
    },
    on: (event: string, listener: () => void) => events.on(event, listener),
    off: (event: string, listener: () => void) => events.off(event, listener),
  };
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
      await emulator.resize({ columns: newColumns, lines: newRows });
      events.emit("resize");
    },
    async rows() {
      await emulator.write("");
      return emulator.allRows();
    },
    async cursor() {
      await emulator.write("");
      const { row, column } = emulator.cursor();
      return { row: terminal.buffer.active.baseY + row, column };
    },
  };
}

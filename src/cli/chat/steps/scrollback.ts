import type { Screen } from "../../terminal/screen/screen-types.ts";
import { type Line, toPlainText } from "../../terminal/text/line.ts";

/** Passes finished lines to the screen in their order, also where some are still being made. */
export interface Scrollback {
  write(...lines: Line[]): void;
  /** Writes the lines once the promise resolves; later writes wait for it. The promise must not reject. */
  writeLater(lines: Promise<readonly Line[]>): void;
  /** Writes a blank line unless the previous line is blank. */
  writeGap(): void;
  /** Runs something once all that was written so far is on the screen: at once where nothing is being made. */
  runAfterWrites(work: () => void): void;
  /** Settles when all of it is on the screen. */
  settle(): Promise<void>;
}

export function createScrollback(screen: Pick<Screen, "write" | "refresh">): Scrollback {
  let waiting: Promise<void> | undefined;
  let endsBlank = false;

  function writeLater(lines: Promise<readonly Line[]>): void {
    const before = waiting;
    const mine = writePending().finally(() => {
      if (waiting === mine) waiting = undefined;
    });
    waiting = mine;

    async function writePending(): Promise<void> {
      const [made] = await Promise.all([lines, before]);
      if (made.length > 0) screen.write(made);
      screen.refresh();
    }
  }

  function write(...lines: Line[]): void {
    const last = lines.at(-1);
    if (last === undefined) return;
    endsBlank = toPlainText(last) === "";
    if (waiting) writeLater(Promise.resolve(lines));
    else screen.write(lines);
  }

  return {
    write,
    writeLater(lines) {
      endsBlank = false;
      writeLater(lines);
    },
    runAfterWrites(work) {
      if (waiting) writeLater(waiting.then(work).then(() => []));
      else work();
    },
    writeGap() {
      if (!endsBlank) write([]);
    },
    async settle() {
      while (waiting) await waiting;
    },
  };
}

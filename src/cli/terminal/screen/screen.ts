import process from "node:process";
import { type TerminalMode, turnOff, turnOn } from "../keys/input-modes.ts";
import type { Line } from "../text/line.ts";
import { countLineCells } from "../text/width.ts";
import { cutLine, wrapLine } from "../text/wrap.ts";
import { createDrawRow, createEmptyDrawn, type Reflow } from "./drawn.ts";
import { drawFrame, eraseDrawn, joinRows } from "./frame.ts";
import type { Live, ReplaceableLines, Screen, Size } from "./screen-types.ts";

export interface ScreenOutput {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly writable: boolean;
  /** Returns false when further output has to wait for the "drain" event. */
  write(text: string): boolean;
  on(event: "resize" | "drain" | "error", listener: () => void): unknown;
  off(event: "resize" | "drain" | "error", listener: () => void): unknown;
}

export interface ScreenOptions {
  readonly stdout: ScreenOutput;
  /** Paints a line for the terminal; see `paintLine`. */
  readonly paint: (line: Line) => string;
  /** Writes what is finished by now; called before each frame. */
  readonly beforeFrame?: () => void;
  /** Returns the live lines; called for each frame. */
  readonly draw: (size: Size) => Live;
  readonly reflow: Reflow;
  /** Lists modes that are on while the screen is open. */
  readonly modes?: readonly TerminalMode[];
  /** Closes the screen. */
  readonly signal?: AbortSignal;
}

export interface OpenScreen extends Screen {
  /**
   * Erases what is live, writes what waits and gives the terminal back as it was, the cursor on an empty row. Lines that
   * are written later are just written. So does the end of the process.
   */
  close(): void;
  /** Sends a sequence that draws nothing, such as a bell. Returns false where it was dropped, because the screen is not open. */
  send(sequence: string): boolean;
  /** Gives the terminal back temporarily, as for Ctrl-Z; output waits until `resume`. */
  suspend(): void;
  /** Takes the terminal again, the cursor of which stands at the start of an empty row. */
  resume(): void;
}

/** Limits the lines that can be replaced; the beginning of more scrolled away long ago. */
const maxReplaceable = 5000;
const millisecondsPerFrame = 1000 / 20;

/**
 * Draws on a terminal, the cursor of which stands at the start of an empty row. Never throws, also where the terminal is
 * gone; what one that does not read is to be shown waits.
 */
export function createScreen(options: ScreenOptions): OpenScreen {
  const { stdout, paint, beforeFrame, draw, reflow, modes = [], signal } = options;
  const finished: Line[] = [];
  /** Holds the newest replaceable lines; they can no longer be changed once the screen's size differs from `size`. */
  let replaceable: { lines: Line[]; size: Size } | undefined;
  /**
   * Counts the rows of finished lines above the live ones. It is an upper limit until something has scrolled, and exact from
   * then on.
   */
  let rowsAbove = Number.POSITIVE_INFINITY;
  const drawRow = createDrawRow(paint);
  let drawn = createEmptyDrawn(readSize(stdout));
  let frameAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let state: "open" | "blocked" | "suspended" | "closed" = "open";

  function send(bytes: string): void {
    if (bytes === "" || !stdout.writable) return;
    if (!stdout.write(bytes) && state === "open") state = "blocked";
  }

  function paintFinished(columns: number): string[] {
    return finished.splice(0).flatMap((line) => wrapFinished(line, columns).map(paint));
  }

  function clearTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function drawNow(): void {
    clearTimer();
    if (state !== "open") return;
    // A size that has changed is drawn within this call, after which the output may wait.
    measureTerminal();
    if (state !== "open") return;
    beforeFrame?.();
    // What was just written needs no frame of its own.
    clearTimer();
    frameAt = performance.now();
    const size = readSize(stdout);
    if (replaceable && !isSameSize(replaceable.size, size)) replaceable = undefined;
    drawWith(size, paintFinished(size.columns), 0);
  }

  function drawWith(size: Size, finishedRows: readonly string[], replaced: number): void {
    const live = fitLive(draw(size), size);
    const frame = drawFrame({ drawn, live, size, finished: finishedRows, replaced, drawRow, reflow });
    if (!isSameSize(drawn.size, size)) rowsAbove = Number.POSITIVE_INFINITY;
    rowsAbove = Math.min(rowsAbove - replaced + finishedRows.length, size.rows - live.lines.length);
    drawn = frame.drawn;
    send(frame.bytes);
  }

  function openReplaceableLines(): ReplaceableLines {
    const mine = { lines: [] as Line[], size: readSize(stdout) };
    replaceable = mine;
    return {
      get lines() {
        return mine.lines;
      },
      replace(from, to, lines) {
        // What waits is written first, so that all of these lines stand above what is live.
        drawNow();
        if (state !== "open" || replaceable !== mine) return false;
        const { columns } = mine.size;
        const paintRows = (some: readonly Line[]): string[] =>
          some.flatMap((line) => wrapFinished(line, columns).map(paint));
        const [before, old, after] = [mine.lines.slice(0, from), mine.lines.slice(from, to), mine.lines.slice(to)];
        const behind = paintRows(after);
        const onScreen = rowsAbove - behind.length;
        if (old.length === 0 || onScreen <= 0) return false;
        drawWith(
          mine.size,
          [...paintRows(lines), ...behind],
          Math.min(onScreen, paintRows(old).length) + behind.length,
        );
        mine.lines = [...before, ...lines, ...after];
        return true;
      },
    };
  }

  function refresh(): void {
    if (state !== "open" || timer) return;
    timer = setTimeout(drawNow, Math.max(0, frameAt + millisecondsPerFrame - performance.now()));
  }

  function resumeAfterDrain(): void {
    if (state !== "blocked") return;
    state = "open";
    drawNow();
  }

  function restoreTerminal(): void {
    clearTimer();
    const size = readSize(stdout);
    send(eraseDrawn({ drawn, size, finished: paintFinished(size.columns), reflow }) + turnOff(modes));
    drawn = createEmptyDrawn(size);
  }

  function suspend(): void {
    if (state === "closed" || state === "suspended") return;
    state = "suspended";
    // What others write meanwhile stands between.
    replaceable = undefined;
    restoreTerminal();
  }

  function resume(): void {
    if (state !== "suspended") return;
    state = "open";
    send(turnOn(modes));
    drawNow();
  }

  function close(): void {
    if (state === "closed") return;
    const wasSuspended = state === "suspended";
    state = "closed";
    stdout.off("resize", drawNow);
    stdout.off("drain", resumeAfterDrain);
    process.off("exit", close);
    signal?.removeEventListener("abort", close);
    if (!wasSuspended) restoreTerminal();
  }

  stdout.on("resize", drawNow);
  stdout.on("drain", resumeAfterDrain);
  // Stays: that a terminal is gone may be reported after the last write.
  stdout.on("error", ignore);
  process.once("exit", close);
  signal?.addEventListener("abort", close, { once: true });
  send(turnOn(modes));
  if (signal?.aborted) close();
  return {
    get size() {
      return readSize(stdout);
    },
    write(lines) {
      finished.push(...lines);
      replaceable?.lines.push(...lines);
      if (replaceable && replaceable.lines.length > maxReplaceable) replaceable = undefined;
      if (state === "closed") send(joinRows(paintFinished(readSize(stdout).columns)));
      else refresh();
    },
    openReplaceableLines,
    refresh,
    refreshNow: drawNow,
    send(sequence) {
      if (state !== "open" || !stdout.writable) return false;
      send(sequence);
      return true;
    },
    close,
    suspend,
    resume,
  };
}

/** Limits the indent of further rows, in cells. */
const deepestIndent = 12;

/** Wraps a line; further rows are indented as the first one is. */
function wrapFinished(line: Line, columns: number): Line[] {
  const [blanks = ""] = /^ */.exec(line[0]?.text ?? "") ?? [];
  const hanging = blanks.slice(0, Math.min(deepestIndent, Math.floor(columns / 4)));
  return wrapLine(line, columns, hanging === "" ? {} : { hanging: [{ text: hanging }] });
}

/**
 * Has Node read the terminal's size again. It reads it when SIGWINCH has reached it, which may be after the frame that is due: that
 * frame would be drawn for a size that the terminal has no more, and leave lines twice.
 */
function measureTerminal(): void {
  process.emit("SIGWINCH", "SIGWINCH");
}

function readSize({ columns, rows }: ScreenOutput): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

function isSameSize(one: Size, other: Size): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

function ignore(): void {}

/**
 * Cuts live lines at the top so that the screen holds them and one finished line, with the cursor in view. The result is never
 * empty.
 */
export function fitLive({ lines, cursor }: Live, { columns, rows }: Size): Live {
  const height = Math.max(1, rows - 1);
  const top = Math.min(Math.max(0, lines.length - height), cursor?.row ?? lines.length);
  const shown = lines
    .slice(top, top + height)
    .map((line) => (countLineCells(line) > columns ? cutLine(line, columns) : line));
  if (shown.length === 0) shown.push([]);
  if (!cursor) return { lines: shown.map(trimLineEnd) };
  const row = Math.min(Math.max(0, cursor.row - top), shown.length - 1);
  const column = Math.min(Math.max(0, cursor.column), columns - 1);
  return { lines: shown.map(trimLineEnd), cursor: { row, column } };
}

/** Terminals differ in whether spaces at an end are text that they wrap again. */
function trimLineEnd(line: Line): Line {
  const last = line.at(-1);
  if (!last || last.styles?.includes("inverse") || !/[ \t]/.test(last.text.slice(-1))) return line;
  const text = last.text.replace(/[ \t]+$/, "");
  return text === "" ? trimLineEnd(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}

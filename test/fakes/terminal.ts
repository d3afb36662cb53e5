import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { patienceMs } from "../runner/patience.ts";
import { createEmulator, type Emulator } from "./emulator.ts";
import { type KeyName, keyCodes, pasted } from "./key-codes.ts";
import { forManyStarts, type ProgramOptions, program, programEnvironment } from "./program.ts";
import { openPseudoTerminal, type PseudoTerminal, type TerminalSize } from "./pseudo-terminal.ts";

/** The built program in a pseudo terminal, with an emulator that shows what is on its screen. */
export interface Terminal {
  type(keys: string): void;
  press(...keys: KeyName[]): void;
  /** Types the answer of a question that stands on the screen, as soon as somebody can have read it. */
  reply(keys: string): Promise<void>;
  /** As a terminal pastes: in one piece that is marked as such. */
  paste(text: string): void;
  /** Waits until the text was written once, colours left out, or stands somewhere on the screen or above it. */
  shows(text: string): Promise<void>;
  /** The same, spaces and line ends left out of both: for text that the screen wraps. */
  showsWords(text: string): Promise<void>;
  /** Waits until the screen shows the text now. */
  stands(text: string): Promise<void>;
  /** Waits until the screen does not show the text any more. */
  hides(text: string): Promise<void>;
  /** Waits until the text appears this many times on the screen and above it. */
  repeats(text: string, times: number): Promise<void>;
  /** Waits until the text appears somewhere behind the last `mark`, also above the screen; returns what is there. */
  follows(mark: string, text: string): Promise<string>;
  /** All that was written, colours left out. */
  screen(): string;
  /** The rows of the screen now. */
  rows(): string[];
  /** Every line, also above the screen. */
  scrollback(): string[];
  cursor(): { row: number; column: number };
  /** All that was written. */
  bytes(): Buffer;
  /** What the terminal had to answer to the program, or to what slipped through it. */
  answers(): string[];
  resize(columns: number, lines: number): Promise<void>;
  /** How the terminal treats what is typed now, in the words of `stty`. */
  modes(): Promise<string[]>;
  /** Waits for a line that was typed and that no program reads, and takes it away. */
  takeLine(): Promise<string>;
  /** Sends a signal to the program. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** The terminal is gone, as when its window is closed. */
  vanish(): void;
  /** The exit code. */
  ended(): Promise<number | null>;
}

export interface TerminalOptions extends ProgramOptions, Partial<TerminalSize> {
  /** Leaves the home as it is: the very first start writes a configuration with other limits than the defaults. */
  isFirstStart?: boolean;
  /** Shows what is typed while nothing reads it. */
  echoes?: boolean;
}

/** Sooner than this after a question no key is its answer: more than the program waits, on a busy machine too. */
const reactionMs = 700;

/** 100 columns and 40 lines unless stated otherwise. */
export async function startTerminal(args: string[], options: TerminalOptions = {}): Promise<Terminal> {
  const { columns = 100, lines = 40, cwd, isFirstStart = false, echoes = false } = options;
  const env = await programEnvironment(options.env);
  if (!isFirstStart) await writeEmptyConfig(join(env.HOME ?? "", ".config/duet"));
  const emulator = createEmulator({ columns, lines });
  const written: Buffer[] = [];
  const frames = createFrames();
  const watch = createWatch(frames.isWhole);
  /** All that came so far has reached the emulator; what is looked at is what it shows, never what is on its way to it. */
  let drawn: Promise<void> = Promise.resolve();
  const terminal = openPseudoTerminal({
    command: [process.execPath, ...forManyStarts, program, ...args],
    cwd,
    env,
    columns,
    lines,
    echoes,
    onBytes(bytes) {
      // One after the other: the emulator must not hold half of the next frame while the frames say that all is whole.
      drawn = drawn.then(async () => {
        await emulator.write(bytes);
        written.push(bytes);
        frames.take(bytes);
        watch.changed();
      });
    },
  });
  onTestFinished(terminal.kill);
  // Its last words are on the screen once it has ended.
  const ended = async (): Promise<number | null> => {
    const code = await terminal.ended;
    await drawn;
    return code;
  };
  return { ...inHands(terminal, emulator, written, watch, () => drawn), ended };
}

async function writeEmptyConfig(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "config.json");
  if (!existsSync(file)) await writeFile(file, "{}");
}

function inHands(
  terminal: PseudoTerminal,
  emulator: Emulator,
  written: Buffer[],
  watch: Watch,
  drawn: () => Promise<void>,
): Omit<Terminal, "ended"> {
  const bytes = () => Buffer.concat(written);
  const screen = () => plain(bytes().toString());
  const visible = () => emulator.rows().join("\n");
  const all = () => emulator.scrollback().join("\n");

  function until(isSo: () => boolean, expected: string): Promise<void> {
    return watch.until(isSo, () => `The screen never ${expected}. It shows:\n${visible().trimEnd()}`);
  }

  return {
    type: terminal.write,
    async reply(keys) {
      await setTimeout(reactionMs);
      terminal.write(keys);
    },
    press: (...keys) => terminal.write(keys.map((key) => keyCodes[key]).join("")),
    paste: (text) => terminal.write(pasted(text)),
    shows: (text) => until(() => screen().includes(text) || all().includes(text), `showed ${JSON.stringify(text)}`),
    showsWords: (text) => until(() => dense(all()).includes(dense(text)), `showed the words ${JSON.stringify(text)}`),
    stands: (text) => until(() => visible().includes(text), `came to show ${JSON.stringify(text)}`),
    hides: (text) => until(() => !visible().includes(text), `hid ${JSON.stringify(text)}`),
    repeats: (text, times) =>
      until(() => all().split(text).length > times, `showed ${JSON.stringify(text)} ${times} times`),
    async follows(mark, text) {
      const behind = () => all().slice(all().lastIndexOf(mark));
      await until(
        () => all().includes(mark) && behind().includes(text),
        `showed ${JSON.stringify(text)} behind ${JSON.stringify(mark)}`,
      );
      return behind();
    },
    screen,
    rows: emulator.rows,
    scrollback: emulator.scrollback,
    cursor: emulator.cursor,
    bytes,
    answers: emulator.answers,
    async resize(columns, lines) {
      // What a program writes for the old size after its terminal has the new one, no program can know. So the program stands still
      // behind a whole frame while both get it.
      for (;;) {
        await watch.until(
          () => true,
          () => "The screen never showed a whole frame.",
        );
        await terminal.freeze();
        await drawn();
        if (watch.isWhole()) break;
        await terminal.thaw();
      }
      await emulator.resize({ columns, lines });
      await terminal.resize({ columns, lines });
      await terminal.thaw();
    },
    modes: terminal.modes,
    takeLine: terminal.takeLine,
    signal: terminal.signal,
    vanish: terminal.kill,
  };
}

/** Whether what was written so far ends within a frame that a terminal shows at once (synchronized output). */
function createFrames() {
  const [begin, end] = ["\u001b[?2026h", "\u001b[?2026l"];
  let last = "";
  let isWhole = true;
  return {
    take(bytes: Buffer) {
      last += bytes.toString("latin1");
      const [from, to] = [last.lastIndexOf(begin), last.lastIndexOf(end)];
      if (from !== to) isWhole = to > from;
      last = last.slice(1 - begin.length);
    },
    isWhole: () => isWhole,
  };
}

/** Waits for a screen that changes. */
interface Watch {
  /** Is true where what was written so far ends behind a whole frame. */
  isWhole(): boolean;
  changed(): void;
  until(isSo: () => boolean, complaint: () => string): Promise<void>;
}

function createWatch(isWhole: () => boolean): Watch {
  const waiting = new Set<() => void>();
  return {
    isWhole,
    changed() {
      for (const look of waiting) look();
    },
    until(isSo, complaint) {
      const error = new Error();
      return new Promise((resolve, reject) => {
        const late = globalThis.setTimeout(
          () => end(() => reject(Object.assign(error, { message: complaint() }))),
          patienceMs,
        );
        const look = () => void (isWhole() && isSo() && end(resolve));
        function end(settle: () => void): void {
          clearTimeout(late);
          waiting.delete(look);
          settle();
        }
        waiting.add(look);
        look();
      });
    },
  };
}

/** Without what drives a terminal, links aside. */
function plain(text: string): string {
  // biome-ignore lint/complexity/useRegexLiterals: an escape character in a literal is hard to see.
  return text.replace(new RegExp("\\u001b\\[[0-9;?<>]*[A-Za-z]", "g"), "");
}

function dense(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, "");
}

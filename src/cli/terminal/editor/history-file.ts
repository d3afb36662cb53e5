import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../../../kit/private-file.ts";
import { createRandomHex } from "../../../kit/random.ts";
import type { InputHistory } from "./editor.ts";

/** Limits how many entries are kept, in memory and after a compaction of the file. */
export const mostEntries = 1_000;

/**
 * Opens the input history, a file of JSON lines with mode 0600 in a folder with mode 0700. Each entry is appended at once, and
 * several programs may write. Without a file, or when the file cannot be read or written, the history is kept in memory. Never
 * throws.
 */
export function openHistory(file: string | undefined): InputHistory {
  const entries = file === undefined ? [] : read(file);
  return {
    entries,
    add(text) {
      if (text.trim() === "" || text === entries.at(-1)) return;
      entries.push(text);
      if (entries.length > mostEntries) entries.shift();
      if (file !== undefined && text.length <= longestKept) append(file, text);
    },
  };
}

function read(file: string): string[] {
  try {
    const { entries, needsCompaction } = readEntries(file);
    if (needsCompaction) compact(file);
    return entries.slice(-mostEntries);
  } catch {
    return [];
  }
}

/** Reads the entries. The file needs compaction once it has twice as many lines as are kept, or more than is read. */
function readEntries(file: string): { entries: string[]; needsCompaction: boolean } {
  // A pipe in the file's place holds nobody up; Windows has no such flag, and no pipes among its files.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const state = fstatSync(handle);
    if (!state.isFile()) return { entries: [], needsCompaction: false };
    const { text, isWhole } = readEnd(handle, state.size);
    const { entries, damaged } = readHistoryLines(text);
    return { entries, needsCompaction: !isWhole || entries.length + damaged > 2 * mostEntries };
  } finally {
    closeSync(handle);
  }
}

function compact(file: string): void {
  try {
    compactHistory(file, mostEntries);
  } catch {
    // A folder that cannot be written: the file stays as it is.
  }
}

function append(file: string, text: string): void {
  try {
    createFolder(dirname(file));
    for (let tries = 0; tries < mostTries; tries++) if (appendOnce(file, text)) return;
  } catch {
    // A full disk, a folder that is gone: the entry is in memory.
  }
}

/** Returns false when another program replaced the file meanwhile, so that the line exists only in the old file. */
function appendOnce(file: string, text: string): boolean {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  const handle = openSync(file, flags, 0o600);
  try {
    appendLine(handle, text);
    return fstatSync(handle).ino === statSync(file).ino || hasLine(file, toHistoryLine(text));
  } finally {
    closeSync(handle);
  }
}

function appendLine(handle: number, text: string): void {
  const state = fstatSync(handle);
  if (!state.isFile()) return;
  if ((state.mode & 0o077) !== 0) fchmodSync(handle, 0o600);
  // A line that broke off (a crash, a full disk) must not spoil this one.
  const last = Buffer.alloc(1);
  const isBroken = state.size > 0 && readSync(handle, last, 0, 1, state.size - 1) === 1 && last[0] !== 0x0a;
  writeSync(handle, `${isBroken ? "\n" : ""}${toHistoryLine(text)}`);
}

const mostTries = 3;

/** Entries longer than this, in UTF-16 units, are not written to the file. */
const longestKept = 50_000;

/**
 * Writes the file anew with its last entries. Its readers see the old file or the new one. One program does it at a time; what
 * another appends to the old file meanwhile is carried over. A damaged file stays beside it (`.damaged`). Throws what the file system throws, and leaves the old file then.
 */
export function compactHistory(file: string, mostEntries: number): void {
  const lock = `${file}.lock`;
  if (!take(lock)) return;
  const draft = `${file}.${createRandomHex()}.tmp`;
  const old = openSync(file, "r");
  try {
    const { size } = fstatSync(old);
    const { entries, damaged } = readHistoryLines(readEnd(old, size).text);
    if (damaged > fewDamaged) keepBeside(file);
    writeFileSync(draft, entries.slice(-mostEntries).map(toHistoryLine).join(""), {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    renameSync(draft, file);
    carryOver(old, size, file);
  } finally {
    closeSync(old);
    rmSync(draft, { force: true });
    rmSync(lock, { force: true });
  }
}

function carryOver(old: number, size: number, file: string): void {
  const late = readFrom(old, size, fstatSync(old).size);
  if (late === "") return;
  const handle = openSync(file, "a", 0o600);
  try {
    writeSync(handle, late);
  } finally {
    closeSync(handle);
  }
}

/**
 * Waits until a compaction by another program is over, and returns true when the new file contains a line that was appended
 * meanwhile.
 */
export function hasLine(file: string, line: string): boolean {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < longestCompactionMs; waited += pollMs) {
    if (statSync(`${file}.lock`, { throwIfNoEntry: false }) === undefined) break;
    Atomics.wait(clock, 0, 0, pollMs);
  }
  const fresh = openSync(file, "r");
  try {
    return readEnd(fresh, fstatSync(fresh).size).text.includes(line);
  } finally {
    closeSync(fresh);
  }
}

/** Limits how long an append waits for a concurrent compaction, in milliseconds. */
const longestCompactionMs = 200;
const pollMs = 5;

/** Saves a damaged history under a fixed name, readable only by the user; there is at most one such file. */
function keepBeside(file: string): void {
  const kept = `${file}.damaged`;
  rmSync(kept, { force: true });
  try {
    linkSync(file, kept);
  } catch {
    // Not every file system has links.
    copyFileSync(file, kept);
  }
  chmodSync(kept, 0o600);
}

/** Removes a lock that a crash has left behind; the next program then compacts. */
function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 60_000) rmSync(lock, { force: true });
    return false;
  }
}

/** A crash or a full disk may have cut off this many lines; a file with more was written by something else. */
const fewDamaged = 3;

/** Holds the end of a history file, which contains the newest entries. */
export interface FileEnd {
  /** Holds whole lines; the last one may be incomplete. */
  readonly text: string;
  /** Is true when the text is the whole file. */
  readonly isWhole: boolean;
}

/** Reads the last two megabytes of an open file of that size. */
function readEnd(handle: number, size: number): FileEnd {
  const start = Math.max(0, size - mostBytes);
  const text = readFrom(handle, start, size);
  const isWhole = start === 0;
  return { text: isWhole ? text : text.slice(text.indexOf("\n") + 1), isWhole };
}

function readFrom(handle: number, start: number, end: number): string {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  return bytes.toString("utf8", 0, readSync(handle, bytes, 0, bytes.length, start));
}

const mostBytes = 2_000_000;

/** Returns an entry as a line of the file, including its line end. */
function toHistoryLine(text: string): string {
  return `${JSON.stringify({ text })}\n`;
}

export interface HistoryLines {
  readonly entries: string[];
  /** Counts lines in another format, which were left out. */
  readonly damaged: number;
}

/** Reads the lines of a history file; none of them is parsed that could not be. */
function readHistoryLines(text: string): HistoryLines {
  const entries: string[] = [];
  let damaged = 0;
  for (const line of text.split("\n")) {
    const entry = entryOf(line);
    if (entry !== undefined) entries.push(entry);
    else if (line !== "") damaged++;
  }
  return { entries: entries.filter((entry) => entry.trim() !== ""), damaged };
}

function entryOf(line: string): string | undefined {
  if (!line.startsWith(opening) || line.length > longestLine || !whole.test(line)) return undefined;
  const text: unknown = JSON.parse(line.slice(opening.length - 1, -1));
  return String(text);
}

const opening = '{"text":"';

/** Matches a JSON text as `lineOf` writes it (https://www.rfc-editor.org/rfc/rfc8259#section-7). */
const whole = /^\{"text":"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*"\}$/;

/** Limits a line in UTF-16 units: each unit of an entry takes at most six. */
const longestLine = 400_000;

import {
  chmodSync,
  closeSync,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRandomHex } from "../../../../kit/random.ts";
import { readHistoryLines, toHistoryLine } from "./history-lines.ts";
import { readEnd, readFrom } from "./read-end.ts";

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

/** Whether the file as it was written anew has a line that was written beside that, once that is over. */
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

/** How long one who writes beside a compaction waits for its end, in milliseconds. */
const longestCompactionMs = 200;
const pollMs = 5;

/** Under the name of what is left of a damaged history, for the user alone; there is one such file at most. */
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

/** A lock that a crash has left behind is taken away, and the next program compacts. */
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

/** Lines that a crash or a full disk may have broken off; more are a file that something else has written. */
const fewDamaged = 3;

import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { randomHex } from "../../core/random.ts";
import { entriesOf, lineOf } from "./history-lines.ts";

/**
 * Writes the file anew with its last entries. Its readers see the old file or the new one. One program does it at a time; what
 * another appends to the old file meanwhile is carried over. Throws what the file system throws, and leaves the old file then.
 */
export function compactHistory(file: string, mostEntries: number): void {
  const lock = `${file}.lock`;
  if (!take(lock)) return;
  const draft = `${file}.${randomHex()}.tmp`;
  const old = openSync(file, "r");
  try {
    const { size } = fstatSync(old);
    const entries = entriesOf(readFrom(old, Math.max(0, size - mostBytes), size).split("\n")).slice(-mostEntries);
    writeFileSync(draft, entries.map(lineOf).join(""), { flag: "wx", mode: 0o600, flush: true });
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

function readFrom(handle: number, start: number, end: number): string {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  return bytes.toString("utf8", 0, readSync(handle, bytes, 0, bytes.length, start));
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

const mostBytes = 8_000_000;

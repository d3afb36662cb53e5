import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../../../../kit/create-folder.ts";
import type { InputHistory } from "../editor.ts";
import { compactHistory, hasLine } from "./compact-history.ts";
import { readHistoryLines, toHistoryLine } from "./history-lines.ts";
import { readEnd } from "./read-end.ts";

/** Entries that are kept, in memory and after a compaction of the file. */
export const mostEntries = 1_000;

/**
 * What was typed before, from a file of JSON lines for the user alone (mode 0600, its folder 0700), where each entry is written
 * as it comes, by several programs if need be. Without a file, or where it cannot be read or written, it is in memory. Never throws.
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

/** The file is to be written anew once it has twice as many lines as are kept, or more than is read. */
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

/** False where another program wrote the file anew meanwhile, and the line stands only in what was the file before. */
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

/** UTF-16 units of an entry that goes to the file. */
const longestKept = 50_000;

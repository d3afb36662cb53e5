import { chmodSync, closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { mostTypedTexts, type TypedHistory } from "../../core/store/typed-history.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { OpenedStore } from "./open-store.ts";
import { findDatabase, type StoreSettings, storeFile } from "./store-settings.ts";

/** Limits a text that is stored, in UTF-16 units. A longer one lasts as long as the chat. */
const longestText = 50_000;

/**
 * Creates the history of what is typed in the chat on top of the store, which is opened when first needed. A file of an earlier
 * version (`history`, JSON lines) is taken over once and renamed to `history.imported`. The methods never reject.
 */
export function createTypedHistory(
  { home, conversations, store }: StoreSettings,
  openStore: () => Promise<OpenedStore>,
): TypedHistory {
  const file = join(home, "history");
  let isReported = false;

  async function list(): Promise<string[]> {
    if (conversations.store === "memory") return [];
    // A chat in which nothing is typed leaves no store behind.
    const isThere = findDatabase({ conversations, store }) !== undefined || existsSync(join(home, storeFile));
    if (!isThere && !isFile(file)) return [];
    const opened = await openStore();
    const left = await takeOver(file, opened, (thrown) => {
      const why = toDuetError(thrown).text;
      if (!isReported) opened.addNotice((locale) => noticeKinds.historyUnread({ file, why }, locale));
      isReported = true;
    });
    return [...left, ...((await opened.typedHistory?.list()) ?? [])].slice(-mostTypedTexts);
  }

  async function add(texts: Parameters<TypedHistory["add"]>[0]): Promise<void> {
    if (typeof texts !== "function" && texts.every(({ length }) => length > longestText)) return;
    await (await openStore()).typedHistory?.add(texts);
  }

  return {
    list: async () => (await ignoreRejection(list(), "the next question reports what is wrong with the store")) ?? [],
    add: (texts) => ignoreRejection(add(texts), "the next question reports what is wrong with the store"),
  };
}

/**
 * Moves the file's texts into the store, in one process of several; returns those that are still in the file alone. A file of
 * which nothing can be read stays where it is, and `report` receives why.
 */
async function takeOver(
  file: string,
  { typedHistory, problem }: OpenedStore,
  report: (thrown: unknown) => void,
): Promise<string[]> {
  if (!isFile(file)) return [];
  try {
    if (typedHistory === undefined || problem !== undefined) return readHistoryFile(file);
    return await moveTexts(file, typedHistory);
  } catch (thrown) {
    report(thrown);
    return [];
  }
}

/** Throws when the file cannot be read, and where it has lines none of which is a text. */
async function moveTexts(file: string, typedHistory: TypedHistory): Promise<string[]> {
  const imported = `${file}.imported`;
  let texts: string[] | undefined;
  let isMoved = false;
  try {
    await typedHistory.add(() => {
      // Another process may have taken the file over since.
      if (texts === undefined && !isFile(file)) return [];
      if (texts === undefined) readHistoryFile(file);
      if (!isMoved) renameSync(file, imported);
      isMoved = true;
      texts ??= readHistoryFile(imported);
      return texts;
    });
    if (isMoved) chmodSync(imported, 0o600);
    return [];
  } catch {
    if (isMoved) renameSync(imported, file);
    return readHistoryFile(file);
  }
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() === true;
}

/** Limits how much of the file's end is read, in bytes. */
const mostBytes = 2_000_000;

/**
 * Reads the texts at the end of a file of JSON lines. Other lines are left out, as is one that a crash has cut off. Throws when
 * there are only other lines.
 */
function readHistoryFile(file: string): string[] {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const start = Math.max(0, size - mostBytes);
    const bytes = Buffer.alloc(size - start);
    const text = bytes.toString("utf8", 0, readSync(handle, bytes, 0, bytes.length, start));
    const lines = text.split("\n").slice(start === 0 ? 0 : 1);
    const texts = lines.flatMap(readLine).slice(-mostTypedTexts);
    if (texts.length === 0 && text.trim() !== "") throw new DuetError({ code: "config", text: noLine });
    return texts;
  } finally {
    closeSync(handle);
  }
}

const noLine: Text = {
  zh: '没有一行能读（允许：{"text":"…"} 形式的行）',
  en: 'no line can be read (allowed: lines like {"text":"…"})',
};

function readLine(line: string): string[] {
  // Parsing costs far more where it fails.
  if (!line.startsWith('{"text":"') || !line.endsWith('"}')) return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) && typeof entry.text === "string" && entry.text.trim() !== "" ? [entry.text] : [];
  } catch {
    return [];
  }
}

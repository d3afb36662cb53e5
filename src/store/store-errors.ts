import { DuetError, getMessage } from "../kit/errors.ts";
import { getOwnValue } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";

/** Returns true when another process holds the lock. */
export function isBusy(thrown: unknown): boolean {
  const code = getSqliteCode(thrown);
  return code === 5 || code === 6;
}

/** Reports a sound database whose tables are not the store's. */
export class WrongTablesError extends Error {
  override readonly name = "WrongTables";
}

/** A conversation of another owner is reported as missing. */
export function noConversationError(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "没有这个编号的对话", en: "there is no conversation with that ID" },
  });
}

/** Returns true when the file is damaged, is not a database, or does not belong to the store. */
export function isDamage(thrown: unknown): boolean {
  const code = getSqliteCode(thrown);
  return code === 11 || code === 26 || thrown instanceof WrongTablesError;
}

/** Explains a failure of SQLite or of the file system to the user. */
export function toStoreError(thrown: unknown, file: string): DuetError {
  if (thrown instanceof DuetError) return thrown;
  const why = describeWhy(thrown);
  return new DuetError({
    code: "internal",
    text: {
      zh: `对话存储 ${file} 无法使用：${why.zh}`,
      en: `the conversation store ${file} cannot be used: ${why.en}`,
    },
    hint: {
      zh: "请检查这个位置的权限和剩余空间，或用 DUET_HOME 另选一个文件夹。",
      en: "Check the permissions and the free space there, or choose another folder with DUET_HOME.",
    },
    retryable: isBusy(thrown),
    cause: thrown,
  });
}

/** Returns SQLite's primary result code (https://www.sqlite.org/rescode.html). */
function getSqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number")) return undefined;
  return thrown.errcode & 0xff;
}

function describeWhy(thrown: unknown): Text {
  const message = getMessage(thrown);
  return getOwnValue(reasons, describeReason(thrown)) ?? { zh: message, en: message };
}

function describeReason(thrown: unknown): string {
  const code = getSqliteCode(thrown);
  if (code !== undefined) return String(code);
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

const readOnly = { zh: "它是只读的", en: "it is read-only" };
const noSpace = { zh: "磁盘已满", en: "the disk is full" };
const notAllowed = { zh: "没有权限", en: "permission is denied" };

/** Maps SQLite's result codes and the system's error codes to texts. */
const reasons: Readonly<Record<string, Text>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: readOnly,
  ENOSPC: noSpace,
  EDQUOT: noSpace,
  5: { zh: "它一直被另一个进程锁住", en: "another process keeps it locked" },
  6: { zh: "它一直被另一个进程锁住", en: "another process keeps it locked" },
  8: readOnly,
  10: { zh: "读写磁盘出错", en: "the disk could not be read or written" },
  11: { zh: "文件已损坏", en: "the file is damaged" },
  13: noSpace,
  14: { zh: "文件无法打开", en: "the file cannot be opened" },
  19: { zh: "另一个进程同时改动了同一个对话", en: "another process changed the same conversation meanwhile" },
  26: { zh: "文件不是数据库", en: "the file is not a database" },
};

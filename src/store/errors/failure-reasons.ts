import { getMessage } from "../../kit/errors.ts";
import { getOwnValue } from "../../kit/json.ts";
import { postgresReasons } from "./postgres-reasons.ts";
import { conflict, full, gone, notAllowed, type Reason, readOnly } from "./reason.ts";
import { getSqliteCode } from "./sqlite-code.ts";

/** Returns what a failure means. What is not known is described by its own message. */
export function describeWhy(thrown: unknown): Reason {
  const message = getMessage(thrown);
  const reason = describeReason(thrown);
  const known = getOwnValue(reasons, reason) ?? getOwnValue(reasons, reason.slice(0, 2));
  return known ?? { failure: "other", why: { zh: message, en: message } };
}

/** Returns the code by which a failure is known. It is empty for one without a code. */
export function describeReason(thrown: unknown): string {
  const code = getSqliteCode(thrown);
  if (code !== undefined) return String(code);
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

const locked: Reason = {
  failure: "locked",
  why: { zh: "它一直被另一个进程锁住", en: "another process keeps it locked" },
};
const unreadable: Reason = {
  failure: "io",
  why: { zh: "读写磁盘出错", en: "the disk could not be read or written" },
};

/**
 * Maps SQLite's result codes, the system's error codes, and PostgreSQL's codes or classes of them to what they mean. A class has two
 * characters, with which no code of SQLite's is meant that is mapped here.
 */
const reasons: Readonly<Record<string, Reason>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  EIO: unreadable,
  EFBIG: unreadable,
  5: locked,
  6: locked,
  8: readOnly,
  10: unreadable,
  11: { failure: "damaged", why: { zh: "文件已损坏", en: "the file is damaged" } },
  13: full,
  14: { failure: "io", why: { zh: "文件无法打开", en: "the file cannot be opened" } },
  19: conflict,
  26: { failure: "damaged", why: { zh: "文件不是数据库", en: "the file is not a database" } },
  ECONNREFUSED: gone,
  ECONNRESET: gone,
  ENOTFOUND: gone,
  EAI_AGAIN: gone,
  EHOSTUNREACH: gone,
  ENETUNREACH: gone,
  ETIMEDOUT: gone,
  EPIPE: gone,
  ...postgresReasons,
};

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

/** Names what is wrong with a store, for programs. */
export type StoreFailure = "full" | "read_only" | "locked" | "damaged" | "io" | "conflict" | "unreachable" | "other";

/**
 * Explains a failure of the database or of the file system. Its text names the place, which only the operator may know. Whoever asks is
 * told of a database that cannot be reached, and when to come again, so that text names no place.
 */
export class StoreError extends DuetError {
  readonly failure: StoreFailure;
  /** Says what is wrong without naming the place. */
  readonly why: Text;
  /** Says it with the place. */
  readonly described: Text;

  constructor(thrown: unknown, place: string) {
    const { failure, why, hint } = describeWhy(thrown);
    const described = describeUnusable(why, place);
    const isRemote = failure === "unreachable";
    super({
      ...(isRemote ? { code: "overloaded", retryAfterMs: comeBackMs } : { code: "internal" }),
      text: isRemote ? describeUnusable(why) : described,
      hint: isRemote ? laterHint : isAddress(place) ? (hint ?? databaseHint) : fileHint,
      retryable: isBusy(thrown) || isRemote,
      cause: thrown,
    });
    this.failure = failure;
    this.why = why;
    this.described = described;
  }

  /** Is true where the same change may succeed later. */
  get mayPass(): boolean {
    return this.failure !== "conflict";
  }
}

function describeUnusable(why: Text, place?: string): Text {
  return {
    zh: `对话存储${place === undefined ? "" : ` ${place} `}无法使用：${why.zh}`,
    en: `the conversation store${place === undefined ? "" : ` ${place}`} cannot be used: ${why.en}`,
  };
}

/** Is after how long whoever is refused may come again, in milliseconds. */
const comeBackMs = 1_000;

const laterHint: Text = { zh: "请稍后再试。", en: "Try again later." };

const fileHint: Text = {
  zh: "请检查这个位置的权限和剩余空间，或用 DUET_HOME 另选一个文件夹。",
  en: "Check the permissions and the free space there, or choose another folder with DUET_HOME.",
};

const serverHint: Text = {
  zh: "请检查 PostgreSQL 是否在运行，以及地址、用户和密码是否正确。",
  en: "Check that PostgreSQL is running, and its address, user and password.",
};

const databaseHint: Text = {
  zh: "请检查 PostgreSQL 的服务器日志、这个用户的权限和剩余空间。",
  en: "Check the server log of PostgreSQL, this user's permissions and the free space.",
};

const rightsHint: Text = {
  zh: "请让这个角色成为数据库的所有者，或授予它模式的 CREATE、表的 SELECT、INSERT、UPDATE、DELETE 和序列的 USAGE 权限。",
  en: "Let the role own the database, or grant it CREATE on the schema, SELECT, INSERT, UPDATE and DELETE on the tables, and USAGE on the sequence.",
};

/** Returns true where no work can be done with the database until it can be reached again. */
export function isUnreachable(thrown: unknown): thrown is StoreError {
  if (!(thrown instanceof StoreError) || thrown.failure !== "unreachable") return false;
  return ![allInUse, busy].includes(describeReason(thrown.cause));
}

/** Returns true where the server has no connection left for whoever asks for one more. */
export function isOutOfConnections(thrown: unknown): boolean {
  return describeReason(thrown instanceof StoreError ? thrown.cause : thrown) === noneLeft;
}

/**
 * Returns true where nothing is stored, and the same may work at once although nobody changes anything: no connection was free or
 * made in time, or the server gave the statement up.
 */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof StoreError && [allInUse, busy, cancelled].includes(describeReason(thrown.cause));
}

/** Is the code of a server, a database or a role that has no connection left. */
const noneLeft = "53300";

/** Is the code of a statement that took too long, or that somebody has cancelled. */
const cancelled = "57014";

/** Is the code of a process all of whose own connections are in use (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const allInUse = "53400";

/** Is the code of a server that is short of means (same place), which a database gets here that has not made a connection in time. */
export const busy = "53000";

/** Is the code of a server without TLS, which is asked for. The package reports it without one. */
export const noTls = "NO_TLS";

/** Is the code of a server that refuses a connection without TLS, which it reports as one that its `pg_hba.conf` has no line for. */
export const needsTls = "28TLS";

/** Is the code of a server whose `pg_hba.conf` has no line for the address, the role and the database. */
export const noEntry = "28HBA";

/** Is the code of a database that only reads (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const onlyReads = "25006";

/** Returns true where it may be reached later without anybody changing a setting. */
export function canComeBack(thrown: unknown): boolean {
  return isUnreachable(thrown) && !/^(?:28|3D)/.test(describeReason(thrown.cause));
}

/** Returns the error as its operator may read it: with the place, and with what can be done. */
export function toOperatorError(error: DuetError): DuetError {
  if (!(error instanceof StoreError) || error.failure !== "unreachable") return error;
  const hint = describeWhy(error.cause).hint ?? serverHint;
  return new DuetError({ code: "network", text: error.described, hint, cause: error });
}

/** Tells the address of a database from the name of a file. */
export function isAddress(place: string): boolean {
  return place.includes("://");
}

/** Explains a failure of the database or of the file system to the user. */
export function toStoreError(thrown: unknown, file: string): DuetError {
  return thrown instanceof DuetError ? thrown : new StoreError(thrown, file);
}

/** Returns SQLite's primary result code (https://www.sqlite.org/rescode.html). */
function getSqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number")) return undefined;
  return thrown.errcode & 0xff;
}

interface Reason {
  failure: StoreFailure;
  why: Text;
  /** Says to the operator what can be done about a database that cannot be used, where it is not the usual. */
  hint?: Text;
}

function describeWhy(thrown: unknown): Reason {
  const message = getMessage(thrown);
  const reason = describeReason(thrown);
  const known = getOwnValue(reasons, reason) ?? getOwnValue(reasons, reason.slice(0, 2));
  return known ?? { failure: "other", why: { zh: message, en: message } };
}

function describeReason(thrown: unknown): string {
  const code = getSqliteCode(thrown);
  if (code !== undefined) return String(code);
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

const readOnly: Reason = { failure: "read_only", why: { zh: "它是只读的", en: "it is read-only" } };
const full: Reason = { failure: "full", why: { zh: "磁盘已满", en: "the disk is full" } };
const notAllowed: Reason = { failure: "read_only", why: { zh: "没有权限", en: "permission is denied" } };
const locked: Reason = {
  failure: "locked",
  why: { zh: "它一直被另一个进程锁住", en: "another process keeps it locked" },
};
const unreadable: Reason = {
  failure: "io",
  why: { zh: "读写磁盘出错", en: "the disk could not be read or written" },
};

const gone: Reason = {
  failure: "unreachable",
  why: { zh: "无法连接到数据库", en: "the database cannot be reached" },
};
const refused: Reason = {
  failure: "unreachable",
  why: { zh: "数据库拒绝了这个用户或密码", en: "the database refuses this user or password" },
};
const conflict: Reason = {
  failure: "conflict",
  why: { zh: "另一个进程同时改动了同一个对话", en: "another process changed the same conversation meanwhile" },
};

const untrusted: Reason = {
  failure: "other",
  why: { zh: "数据库服务器的证书不受信任", en: "the certificate of the database's server is not trusted" },
  hint: {
    zh: "请用 sslrootcert=文件 指明签发它的机构的证书。",
    en: "Name the certificate of the authority that issued it: sslrootcert=FILE.",
  },
};

/**
 * Maps SQLite's result codes, PostgreSQL's codes or classes of them, and the system's error codes to what they mean. A class has two
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
  "08": gone,
  [noneLeft]: {
    failure: "unreachable",
    why: { zh: "数据库的连接已用完", en: "the database has no connection left" },
    hint: {
      zh: "请调大 max_connections，或角色、数据库的 CONNECTION LIMIT（每个副本 10 个），或结束其他客户端。",
      en: "Raise max_connections, or the CONNECTION LIMIT of the role or database (10 for each replica), or end other clients.",
    },
  },
  [allInUse]: {
    failure: "unreachable",
    why: { zh: "到数据库的连接都在使用中", en: "all connections to the database are in use" },
    hint: {
      zh: "每个进程最多用 8 个连接；请减少同时的提问，或增加副本。",
      en: "This process uses 8 connections at most; ask fewer questions at once, or add a replica.",
    },
  },
  [busy]: {
    failure: "unreachable",
    why: { zh: "数据库太忙，没有及时接受新连接", en: "the database is too busy to make a connection in time" },
    hint: { zh: "请查看数据库所在机器的负载。", en: "Look at the load of the database's machine." },
  },
  "55P03": {
    failure: "unreachable",
    why: {
      zh: "它的表被锁住：另一个进程正在更新表结构，或正在备份",
      en: "its tables are locked, by a process that updates them or by a backup",
    },
    hint: { zh: "请等它结束后再试。", en: "Try again when that has ended." },
  },
  "53100": full,
  "57": gone,
  [cancelled]: {
    failure: "other",
    why: { zh: "数据库取消了这条语句", en: "the database has cancelled the statement" },
  },
  [noTls]: {
    failure: "other",
    why: { zh: "数据库服务器不支持 TLS", en: "the database's server does not support TLS" },
    hint: {
      zh: "请在服务器上启用 TLS（ssl = on），或去掉地址中的 sslmode。",
      en: "Turn it on there (ssl = on), or leave sslmode out of the address.",
    },
  },
  [needsTls]: {
    failure: "unreachable",
    why: {
      zh: "数据库服务器不接受没有 TLS 的连接，或它的 pg_hba.conf 没有允许这个用户",
      en: "the database's server takes no connection without TLS, or its pg_hba.conf does not let this user in",
    },
    hint: { zh: "请在地址中加上 sslmode=verify-full。", en: "Add sslmode=verify-full to the address." },
  },
  [noEntry]: {
    failure: "unreachable",
    why: {
      zh: "数据库服务器的 pg_hba.conf 没有允许这个用户从这里连接这个数据库",
      en: "the pg_hba.conf of the database's server does not let this user in from here",
    },
    hint: { zh: "请在那里加一行，然后重新加载配置。", en: "Add a line there, and reload its settings." },
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    failure: "other",
    why: {
      zh: "数据库服务器的证书不是为地址中的主机签发的",
      en: "the certificate of the database's server is for another host than the address names",
    },
    hint: { zh: "请在地址中用证书里的主机名。", en: "Name the host in the address as the certificate does." },
  },
  "28": refused,
  "3D": {
    failure: "unreachable",
    why: { zh: "没有这个数据库", en: "there is no such database" },
    hint: {
      zh: "请建立这个数据库，或改正 store.url 里的库名。",
      en: "Create the database, or correct its name in store.url.",
    },
  },
  "25P03": gone,
  [onlyReads]: {
    failure: "unreachable",
    why: { zh: "数据库只能读（可能是备库）", en: "the database only reads, as a standby does" },
    hint: {
      zh: "请让 store.url 指向主库；如果它就是主库，请为这个角色和数据库关闭 default_transaction_read_only。",
      en: "Point store.url at the primary. Where it is the primary, turn default_transaction_read_only off for the role and the database.",
    },
  },
  "42501": { ...notAllowed, hint: rightsHint },
  "23505": conflict,
};

/** Reports a use of a store after its end. */
export function closedStoreError(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "对话存储已关闭", en: "the conversation store is closed" },
  });
}

/** Reports a store that this program neither reads nor changes. */
export function newerSchemaError(found: number, file: string, supported: number): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `对话存储 ${file} 的版本是 ${found}，来自更新的 Duet（此版本支持到 ${supported}）`,
      en: `the conversation store ${file} has version ${found}, from a newer Duet (this one supports up to ${supported})`,
    },
    hint: isAddress(file)
      ? { zh: "请升级 Duet。", en: "Update Duet." }
      : {
          zh: "请升级 Duet，或用 DUET_HOME 另选一个文件夹。",
          en: "Update Duet, or choose another folder with DUET_HOME.",
        },
  });
}

/** Reports a server whose PostgreSQL does not know all statements of a store. */
export function oldServerError(version: string, { place, oldest }: { place: string; oldest: number }): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `数据库 ${place} 的版本是 PostgreSQL ${version}，Duet 需要 PostgreSQL ${oldest} 或更新的版本`,
      en: `the database ${place} is PostgreSQL ${version}; Duet needs PostgreSQL ${oldest} or newer`,
    },
    hint: { zh: "请升级数据库服务器，或另选一个。", en: "Update the database server, or choose another one." },
  });
}

/** Reports a database in another encoding than UTF-8. */
export function wrongEncodingError(encoding: string, place: string): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `数据库 ${place} 的编码是 ${encoding}，必须是 UTF8`,
      en: `the database ${place} has the encoding ${encoding}; it has to be UTF8`,
    },
    hint: {
      zh: "请另建一个数据库：CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0。",
      en: "Create another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
    },
  });
}

/** Reports a database that somebody else uses, with a table or an index of the same name. */
export function foreignTablesError(message: string, place: string): DuetError {
  const name = /"(.+?)"/.exec(message)?.[1] ?? "";
  const shown = name === "" ? "" : ` ${name}`;
  return new DuetError({
    code: "config",
    text: {
      zh: `数据库 ${place} 中已有不属于 Duet 的表或索引${shown}`,
      en: `the database ${place} already has a table or index${shown} that is not Duet's`,
    },
    hint: { zh: "请给 Duet 一个专用的数据库。", en: "Give Duet a database of its own." },
  });
}

/** Reports a role without these rights, each with what it is for: `DELETE on turns`. */
export function missingRightError(place: string, missing: readonly Text[]): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `数据库 ${place} 的这个角色缺少权限：${missing.map(({ zh }) => zh).join("；")}`,
      en: `the role of the database ${place} lacks rights: ${missing.map(({ en }) => en).join("; ")}`,
    },
    hint: rightsHint,
  });
}

/** Reports a search path on which no schema is, so that there is no place for tables. */
export function missingSchemaError(place: string, path: string): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `数据库 ${place} 中没有 search_path 里的任何模式：${path}`,
      en: `the database ${place} has no schema of its search_path: ${path}`,
    },
    hint: {
      zh: "请建立其中一个（CREATE SCHEMA …），或改正地址或角色的 search_path。",
      en: "Create one of them (CREATE SCHEMA …), or correct the search_path of the address or the role.",
    },
  });
}

/** Reports that there is nothing to be read. */
export function noStoreError(file: string): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `没有对话存储 ${file}`, en: `there is no conversation store ${file}` },
  });
}

import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { rightsHint } from "../errors/postgres-reasons.ts";

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

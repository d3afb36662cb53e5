import type { Text } from "../../kit/locale.ts";

/** Names what is wrong with a store, for programs. */
export type StoreFailure = "full" | "read_only" | "locked" | "damaged" | "io" | "conflict" | "unreachable" | "other";

/** Holds what is wrong with a store. */
export interface Reason {
  failure: StoreFailure;
  why: Text;
  /** Says to the operator what can be done about a database that cannot be used, where it is not the usual. */
  hint?: Text;
}

export const readOnly: Reason = { failure: "read_only", why: { zh: "它是只读的", en: "it is read-only" } };
export const full: Reason = { failure: "full", why: { zh: "磁盘已满", en: "the disk is full" } };
export const notAllowed: Reason = { failure: "read_only", why: { zh: "没有权限", en: "permission is denied" } };

export const gone: Reason = {
  failure: "unreachable",
  why: { zh: "无法连接到数据库", en: "the database cannot be reached" },
};
export const conflict: Reason = {
  failure: "conflict",
  why: { zh: "另一个进程同时改动了同一个对话", en: "another process changed the same conversation meanwhile" },
};

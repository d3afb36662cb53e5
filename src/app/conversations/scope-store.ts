import type { Caller } from "../../core/caller.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";

/**
 * Returns the caller's part of the store. Throws a `config` error when an embedding program's own store cannot separate owners.
 */
export function scopeStore(store: ConversationStore, { owner }: Caller): ConversationStore {
  if (owner === undefined) return store;
  if (store.of === undefined) throw new DuetError({ code: "config", text: forOperator });
  return store.of(owner);
}

const forOperator = {
  zh: "此对话存储只为操作者服务：它没有 of(owner)",
  en: "this conversation store serves the operator only: it has no of(owner)",
};

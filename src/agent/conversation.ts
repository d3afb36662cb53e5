import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Message } from "../core/messages.ts";
import { createSourceList, type SourceList } from "./sources.ts";

/** What one conversation remembers from run to run. */
export interface Conversation {
  readonly id: string;
  /** Questions and answers, oldest first, without the steps between them. */
  readonly history: Message[];
  /** Every source fetched so far; their numbers stay theirs. */
  readonly sources: SourceList;
}

export function createConversation(id = newId("conv")): Conversation {
  return { id, history: [], sources: createSourceList() };
}

/** The conversations of one process, the least recently used forgotten beyond `max`. */
export interface Conversations {
  /** The conversation of that id, made when there is none. */
  open(id?: string): Conversation;
  has(id: string): boolean;
}

export function createConversations(max = 1000): Conversations {
  const byId = new LRUCache<string, Conversation>({ max });
  return {
    has: (id) => byId.has(id),
    open(id) {
      const known = id === undefined ? undefined : byId.get(id);
      if (known) return known;
      const conversation = createConversation(id);
      byId.set(conversation.id, conversation);
      return conversation;
    },
  };
}

/** `run-…`, `conv-…`: 128 random bits, so that nobody guesses another's. */
export function newId(prefix: "run" | "conv"): string {
  return `${prefix}-${randomBytes(16).toString("hex")}`;
}

import type { StoredBytes } from "../../core/files/run-files.ts";

/** Keeps bytes once by their hash, for as long as a conversation names them. */
export interface MemoryFiles {
  /** Adds bytes that the conversation names. Returns how many bytes it names for the first time. */
  add(conversationId: string, files: readonly StoredBytes[]): number;
  /** Returns what the conversation names. */
  list(conversationId: string): StoredBytes[];
  read(conversationId: string, hash: string): Uint8Array | undefined;
  /** Removes what the conversation names and no other one does. */
  removeOf(conversationId: string): void;
}

interface NamedBytes {
  bytes: Uint8Array;
  conversations: Set<string>;
}

export function createMemoryFiles(): MemoryFiles {
  const files = new Map<string, NamedBytes>();
  const hashes = new Map<string, Set<string>>();
  return {
    add(conversationId, added) {
      let size = 0;
      for (const { hash, bytes } of added) {
        const known = files.get(hash) ?? { bytes, conversations: new Set() };
        if (known.conversations.has(conversationId)) continue;
        known.conversations.add(conversationId);
        files.set(hash, known);
        hashes.set(conversationId, (hashes.get(conversationId) ?? new Set()).add(hash));
        size += bytes.length;
      }
      return size;
    },
    list(conversationId) {
      return [...(hashes.get(conversationId) ?? [])].flatMap((hash) => {
        const bytes = files.get(hash)?.bytes;
        return bytes ? [{ hash, bytes }] : [];
      });
    },
    read(conversationId, hash) {
      const found = files.get(hash);
      return found?.conversations.has(conversationId) ? found.bytes : undefined;
    },
    removeOf(conversationId) {
      for (const hash of hashes.get(conversationId) ?? []) {
        const found = files.get(hash);
        found?.conversations.delete(conversationId);
        if (found?.conversations.size === 0) files.delete(hash);
      }
      hashes.delete(conversationId);
    },
  };
}

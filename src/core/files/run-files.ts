import type { ContentPart, FileReader } from "../model/messages.ts";
import type { PreparedFile } from "./prepare-image.ts";

/** Holds bytes under the hash by which messages name them. */
export interface StoredBytes {
  hash: string;
  bytes: Uint8Array;
}

/** Holds the bytes that come up in a run until they are stored with it, and reads those of earlier turns. */
export interface RunFiles extends FileReader {
  /** Adds bytes. Returns false, and keeps nothing, where the run has no space left for them. */
  add(file: PreparedFile): boolean;
  /** Adds bytes that an earlier process of the run had added. */
  restore(files: readonly StoredBytes[]): void;
  /** Returns the added bytes that these parts name, each once. */
  list(parts: readonly ContentPart[]): StoredBytes[];
}

/** Limits what one run keeps in memory, in bytes. */
const mostBytes = 100_000_000;

/** `readStored` reads the bytes of earlier turns of the same conversation. */
export function createRunFiles(readStored: FileReader["read"] = async () => undefined): RunFiles {
  const added = new Map<string, Uint8Array>();
  let size = 0;
  return {
    add({ part, bytes }) {
      const { hash } = part.type === "image" ? part.image : part.file;
      if (added.has(hash)) return true;
      if (size + bytes.length > mostBytes) return false;
      size += bytes.length;
      added.set(hash, bytes);
      return true;
    },
    restore(files) {
      for (const { hash, bytes } of files) {
        if (!added.has(hash)) size += bytes.length;
        added.set(hash, bytes);
      }
    },
    read: async (hash) => added.get(hash) ?? (await readStored(hash)),
    list(parts) {
      const hashes = new Set(parts.flatMap(listHashes));
      return [...hashes].flatMap((hash) => {
        const bytes = added.get(hash);
        return bytes === undefined ? [] : [{ hash, bytes }];
      });
    },
  };
}

/** Lists the hash of the bytes that a part names; text names none. */
export function listHashes(part: ContentPart): string[] {
  if (part.type === "text") return [];
  return [part.type === "image" ? part.image.hash : part.file.hash];
}

import { longestAttachedFile } from "../../core/attachment.ts";
import { isBinary } from "../page/decode-page.ts";
import { listZipEntries } from "./zip-entries.ts";

const documentKinds = ["pdf", "word", "excel", "text"] as const;

export type DocumentKind = (typeof documentKinds)[number];

export function isDocumentKind(found: DocumentKind | DocumentProblem): found is DocumentKind {
  return documentKinds.some((kind) => kind === found);
}

/** Explains why a document was not read. */
export type DocumentProblem =
  | "too-large"
  | "expands"
  | "encrypted"
  | "old-office"
  | "slides"
  | "archive"
  | "unknown"
  | "broken"
  | "scanned"
  | "empty";

/** Carries what a document says, or why nothing can be told of it. */
export type DocumentResult =
  | {
      text: string;
      /** Counts the pages of a PDF, and how many of them were read. */
      pages?: { all: number; read: number };
      /** Counts the characters of the whole text, of which `text` may be the beginning. */
      characters: number;
    }
  | { problem: DocumentProblem };

/** Limits a document, in bytes. */
export const longestDocument = longestAttachedFile;

/** Limits the text that is taken from one document, in characters: all of it is read with the question. */
export const longestText = 200_000;

/** Limits what the parts of a document may take once they are unpacked, in bytes, and how many there may be. */
export const longestUnpacked = 200_000_000;
export const mostParts = 10_000;

/** Finds what a document is by its bytes alone: its name and its stated type may be wrong. */
export function findDocumentKind(bytes: Uint8Array): DocumentKind | DocumentProblem {
  if (bytes.length === 0) return "empty";
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  // Other bytes may come before the signature of a PDF.
  if (start.includes("%PDF-")) return "pdf";
  if (start.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
    return hasEncryptedPackage(bytes) ? "encrypted" : "old-office";
  if (start.startsWith("PK\x03\x04")) return findPackageKind(bytes);
  return isBinary(bytes) ? "unknown" : "text";
}

/** Office keeps an encrypted document in the container of its older formats, under a name in UTF-16. */
function hasEncryptedPackage(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("EncryptedPackage", 0, "utf16le");
}

function findPackageKind(bytes: Uint8Array): DocumentKind | DocumentProblem {
  const entries = listZipEntries(bytes, mostParts);
  if (entries === undefined) return "broken";
  if (entries === "too-many") return "expands";
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > longestUnpacked) return "expands";
  const folders = new Set(entries.map(({ name }) => /^\/?([^/]+)\//.exec(name)?.[1]?.toLowerCase()));
  if (folders.has("word")) return "word";
  if (folders.has("xl")) return "excel";
  return folders.has("ppt") ? "slides" : "archive";
}

import { listHashes } from "../../core/files/run-files.ts";
import { toParts, toPlainText } from "../../core/model/message-content.ts";
import type { MessageContent, StoredFile } from "../../core/model/messages.ts";
import type { ModelRequest } from "../../core/model/model.ts";

/** Maps hashes to the bytes that they name, in base64, for as long as one request is written. */
export type FileData = ReadonlyMap<string, string>;

export const noFileData: FileData = new Map();

/** Reads the bytes that the messages name. What is not there any more is left out. */
export async function readFileData({ messages, files }: ModelRequest): Promise<FileData> {
  if (files === undefined) return noFileData;
  const hashes = new Set(messages.flatMap(({ content }) => toParts(content).flatMap(listHashes)));
  const data = new Map<string, string>();
  for (const hash of hashes) {
    const bytes = await files.read(hash);
    if (bytes) data.set(hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"));
  }
  return data;
}

/** Says how a wire writes the parts of a message. */
export interface PartWriter<Written> {
  writeText(text: string): Written;
  writeImage(file: StoredFile, base64: string): Written;
  writeFile(file: StoredFile, base64: string): Written;
}

/** Writes the parts of a content in their order. Words stand in place of an image or a document that is not there any more. */
export function writeParts<Written>(
  content: MessageContent,
  data: FileData,
  { writeText, writeImage, writeFile }: PartWriter<Written>,
): Written[] {
  return toParts(content).map((part) => {
    if (part.type === "text") return writeText(part.text);
    const file = part.type === "image" ? part.image : part.file;
    const base64 = data.get(file.hash);
    if (base64 === undefined) return writeText(toPlainText([part], "en"));
    return part.type === "image" ? writeImage(file, base64) : writeFile(file, base64);
  });
}

export function toDataUrl({ mediaType }: StoredFile, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Returns a name that every vendor takes for a document: some refuse one without an ending. */
export function toDocumentName({ name }: StoredFile): string {
  return name ?? "document.pdf";
}

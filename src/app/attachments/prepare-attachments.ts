import { type Attachment, longestAttachments, mostAttachments } from "../../core/attachment.ts";
import { type FileRefusal, type PreparedFile, prepareImage, toStoredFile } from "../../core/files/prepare-image.ts";
import type { RunFiles } from "../../core/files/run-files.ts";
import type { FileRef } from "../../core/messages.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import type { DocumentReader } from "./read-document.ts";

/** Holds what came with a question as models get it, and what could not be taken, one line each. */
export interface PreparedAttachments {
  parts: FileRef[];
  refusals: Text[];
}

export interface PreparationParts {
  /** Takes the bytes. */
  files: RunFiles;
  documents: DocumentReader;
  locale: Locale;
  signal: AbortSignal;
}

/**
 * Makes parts of a message of the files that came with a question, in their order, and adds their bytes to the run. One that
 * cannot be taken is left out. Rejects only when the signal aborts.
 */
export async function prepareAttachments(
  attachments: readonly Attachment[],
  { files, documents, locale, signal }: PreparationParts,
): Promise<PreparedAttachments> {
  const prepared: PreparedAttachments = { parts: [], refusals: [] };
  let size = 0;
  for (const [index, attachment] of attachments.entries()) {
    signal.throwIfAborted();
    size += attachment.bytes.length;
    const made = await prepareFile(attachment, {
      isTooMany: index >= mostAttachments,
      isTooMuch: size > longestAttachments,
    });
    if ("refusal" in made) prepared.refusals.push(made.refusal);
    else if (files.add(made)) prepared.parts.push(made.part);
    else prepared.refusals.push(tooMuch);
  }
  return prepared;

  async function prepareFile(
    attachment: Attachment,
    { isTooMany, isTooMuch }: { isTooMany: boolean; isTooMuch: boolean },
  ): Promise<PreparedFile | FileRefusal> {
    if (isTooMany) return { refusal: tooMany };
    if (isTooMuch) return { refusal: tooMuch };
    const { bytes, name, mediaType = "" } = attachment;
    const type = detectMediaType(bytes) ?? mediaType;
    if (type.startsWith("image/")) return prepareImage(bytes, name);
    const read = await documents.read(attachment, locale, signal);
    if ("refusal" in read) return read;
    return { part: { type: "file", file: toStoredFile(bytes, read.mediaType, name), text: read.text }, bytes };
  }
}

const tooMany: Text = {
  zh: `一次提问最多附上 ${mostAttachments} 个文件，其余没有附上`,
  en: `a question takes at most ${mostAttachments} files; the others were left out`,
};
const tooMuch: Text = {
  zh: `附件总共不能超过 ${formatSize(longestAttachments)}`,
  en: `the files of a question may have ${formatSize(longestAttachments)} together`,
};

import { type Attachment, longestAttachments, mostAttachments } from "../../core/attachment.ts";
import {
  type FileRefusal,
  type PreparedFile,
  prepareImage,
  refuseFile,
  toStoredFile,
} from "../../core/files/prepare-image.ts";
import type { RunFiles } from "../../core/files/run-files.ts";
import type { FileRef } from "../../core/model/messages.ts";
import { DuetError } from "../../kit/errors.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import { say } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import type { DocumentKind } from "../../tools/documents/document.ts";
import { DocumentError, readDocument } from "../../tools/documents/read-document.ts";
import { createHeavyWork } from "../../tools/workers/heavy-work.ts";

/** Holds what came with a question as models get it, and what could not be taken, one line each. */
export interface PreparedAttachments {
  parts: FileRef[];
  refusals: Text[];
}

export interface AttachmentContext {
  /** Takes the bytes. */
  files: RunFiles;
  /** Is the language of what is added to the text of a document. */
  locale: Locale;
  signal: AbortSignal;
}

export interface AttachmentPreparation {
  /**
   * Makes parts of a message of the files that came with a question, in their order. One that cannot be taken is left out. Rejects
   * only when the signal aborts.
   */
  prepare(attachments: readonly Attachment[], context: AttachmentContext): Promise<PreparedAttachments>;
  /** Returns why a file cannot be taken, or undefined for one that can. What was read for it is used where the same file is prepared. */
  check(
    attachment: Attachment,
    context: Pick<AttachmentContext, "locale" | "signal">,
  ): Promise<FileRefusal | undefined>;
  /** Ends the processes that read documents. */
  close(): Promise<void>;
}

export function createAttachmentPreparation(work = createHeavyWork()): AttachmentPreparation {
  const checked = new WeakMap<Attachment, PreparedFile | FileRefusal>();

  async function prepareFile(
    { bytes, name, mediaType = "" }: Attachment,
    { locale, signal }: Pick<AttachmentContext, "locale" | "signal">,
  ): Promise<PreparedFile | FileRefusal> {
    const type = detectMediaType(bytes) ?? mediaType;
    if (type.startsWith("image/")) return prepareImage(bytes, name);
    try {
      const { kind, text } = await readDocument(bytes, { work, locale, signal });
      return toPreparedDocument(bytes, { name, mediaType: mediaTypes[kind] ?? toTextType(mediaType), text });
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof DuetError)) throw thrown;
      // Some models see the pages of a PDF as pictures.
      if (thrown instanceof DocumentError && thrown.problem === "scanned")
        return toPreparedDocument(bytes, { name, mediaType: "application/pdf", text: say(locale, noText) });
      return { ...refuseFile(name, thrown.text), code: thrown.code };
    }
  }

  return {
    async prepare(attachments, context) {
      const prepared: PreparedAttachments = { parts: [], refusals: [] };
      let size = 0;
      for (const attachment of attachments.slice(0, mostAttachments)) {
        context.signal.throwIfAborted();
        size += attachment.bytes.length;
        const excess = refuseFile(attachment.name, tooMuch);
        const made =
          size > longestAttachments ? excess : (checked.get(attachment) ?? (await prepareFile(attachment, context)));
        if ("refusal" in made) prepared.refusals.push(made.refusal);
        else if (!isSentAsBytes(made.part) || context.files.add(made)) prepared.parts.push(made.part);
        else prepared.refusals.push(excess.refusal);
      }
      if (attachments.length > mostAttachments) prepared.refusals.push(tooMany);
      return prepared;
    },
    async check(attachment, context) {
      const made = await prepareFile(attachment, context);
      const isRefused = "refusal" in made;
      // What was busy may be idle by then.
      if (!isRefused || made.code !== "overloaded") checked.set(attachment, made);
      return isRefused ? made : undefined;
    },
    close: () => work.close(),
  };
}

/** No vendor takes the bytes of another document than a PDF; of the others the text is enough. */
function isSentAsBytes(part: FileRef): boolean {
  return part.type === "image" || part.file.mediaType === "application/pdf";
}

function toPreparedDocument(
  bytes: Uint8Array,
  { name, mediaType, text }: { name: string | undefined; mediaType: string; text: string },
): PreparedFile {
  return { part: { type: "file", file: toStoredFile(bytes, mediaType, name), text }, bytes };
}

const mediaTypes: Partial<Record<DocumentKind, string>> = {
  pdf: "application/pdf",
  word: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  excel: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function toTextType(claimed: string): string {
  return /^text\/[\w.+-]+$/.test(claimed) ? claimed : "text/plain";
}

const noText: Text = { zh: "（没有文字，可能是扫描件）", en: "(no text; it may be a scan)" };
const tooMany: Text = {
  zh: `一次提问最多附上 ${mostAttachments} 个文件，其余没有附上`,
  en: `a question takes at most ${mostAttachments} files; the others were left out`,
};
const tooMuch: Text = {
  zh: `附件总共不能超过 ${formatSize(longestAttachments)}`,
  en: `the files of a question may have ${formatSize(longestAttachments)} together`,
};

import type { Attachment } from "../../core/attachment.ts";
import { type FileRefusal, toFileName } from "../../core/files/prepare-image.ts";
import { createOnce } from "../../kit/async/once.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { DocumentKind } from "../../tools/documents/document.ts";

/** Holds what a document says. */
export interface DocumentText {
  mediaType: string;
  text: string;
}

/** Reads the documents that come with questions, a few at once in child processes; one reader is enough for a program. */
export interface DocumentReader {
  /** Refuses in one line what is no document or cannot be read. Rejects only when the signal aborts. */
  read(attachment: Attachment, locale: Locale, signal: AbortSignal): Promise<DocumentText | FileRefusal>;
  /** Ends the processes. */
  close(): Promise<void>;
}

export function createDocumentReader(): DocumentReader {
  const parts = createOnce(async () => {
    const [{ readDocument }, { createHeavyWork }] = await Promise.all([
      import("../../tools/documents/read-document.ts"),
      import("../../tools/workers/heavy-work.ts"),
    ]);
    return { readDocument, work: createHeavyWork() };
  });
  return {
    async read({ bytes, name, mediaType }, locale, signal) {
      const { readDocument, work } = await parts.get();
      try {
        const { kind, text } = await readDocument(bytes, { work, locale, signal });
        return { mediaType: toMediaType(kind, mediaType), text };
      } catch (thrown) {
        signal.throwIfAborted();
        return { refusal: describeRefusal(name, toDuetError(thrown).text) };
      }
    },
    async close() {
      await (await parts.current)?.work.close();
    },
  };
}

const office = "application/vnd.openxmlformats-officedocument";

const mediaTypes: Readonly<Record<DocumentKind, string>> = {
  pdf: "application/pdf",
  word: `${office}.wordprocessingml.document`,
  excel: `${office}.spreadsheetml.sheet`,
  text: "text/plain",
};

/** The sender knows best which kind of text it is. */
function toMediaType(kind: DocumentKind, stated = ""): string {
  return kind === "text" && /^(?:text\/[\w.+-]+|application\/(?:json|xml))$/.test(stated) ? stated : mediaTypes[kind];
}

function describeRefusal(name: string | undefined, why: { zh: string; en: string }): { zh: string; en: string } {
  const shown = toFileName(name);
  return shown === "" ? why : { zh: `${shown}：${why.zh}`, en: `${shown}: ${why.en}` };
}

import type { Attachment } from "../../core/attachment.ts";
import { acceptedImages, type FileRefusal, toFileName } from "../../core/files/prepare-image.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import { formatSize } from "../../kit/text/format-count.ts";

/** Holds what a document says. */
export interface DocumentText {
  mediaType: string;
  text: string;
}

/** Limits a text file, in bytes. */
const longestText = 1_000_000;

/** Reads the text of an attached file that is no image. Refuses in one line what is none; rejects only when the signal aborts. */
export async function readDocument(
  { bytes, name, mediaType }: Attachment,
  _signal?: AbortSignal,
): Promise<DocumentText | FileRefusal> {
  const shown = toFileName(name) || "?";
  const type = detectMediaType(bytes) ?? mediaType ?? "application/octet-stream";
  const text = decodeText(bytes);
  if (text === undefined)
    return {
      refusal: {
        zh: `${shown}：不接受 ${type}（可用：${acceptedImages}、UTF-8 文本）`,
        en: `${shown}: ${type} is not accepted (accepted: ${acceptedImages}, UTF-8 text)`,
      },
    };
  if (bytes.length > longestText)
    return {
      refusal: {
        zh: `${shown}：文本有 ${formatSize(bytes.length)}，超过上限 ${formatSize(longestText)}`,
        en: `${shown}: the text has ${formatSize(bytes.length)}; the limit is ${formatSize(longestText)}`,
      },
    };
  return { mediaType: mediaType?.startsWith("text/") ? mediaType : "text/plain", text };
}

function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

import type { FileRef, ImagePart } from "../../../core/model/messages.ts";
import type { ConversationTurn } from "../../../core/store/conversations/conversation.ts";
import { isRecord } from "../../../kit/json.ts";

type TurnFiles = Pick<ConversationTurn, "files" | "images">;

/** Returns what a turn names, as JSON, and null where it names nothing. */
export function writeTurnFiles({ files = [], images = [] }: TurnFiles): string | null {
  return files.length + images.length === 0 ? null : JSON.stringify({ files, images });
}

/** Reads what `writeTurnFiles` wrote. Anything else names nothing. */
export function readTurnFiles(json: string): TurnFiles {
  if (json === "") return {};
  try {
    const { files, images } = toLists(JSON.parse(json));
    return { ...(files.length > 0 && { files }), ...(images.length > 0 && { images }) };
  } catch {
    return {};
  }
}

function toLists(value: unknown): { files: FileRef[]; images: ImagePart[] } {
  const { files, images } = isRecord(value) ? value : {};
  return {
    files: Array.isArray(files) ? files.filter(isFileRef) : [],
    images: Array.isArray(images) ? images.filter(isImage) : [],
  };
}

/** The store reads only what it wrote, so the checks only recognise a part. */
function isFileRef(value: unknown): value is FileRef {
  if (isImage(value)) return true;
  return isRecord(value) && value.type === "file" && typeof value.text === "string" && isFile(value.file);
}

function isImage(value: unknown): value is ImagePart {
  return isRecord(value) && value.type === "image" && isFile(value.image);
}

function isFile(value: unknown): boolean {
  return isRecord(value) && typeof value.hash === "string" && typeof value.mediaType === "string";
}

/** Holds a file that comes with a question, as its sender gave it: its bytes may be anything, whatever name and type say. */
export interface Attachment {
  bytes: Uint8Array;
  /** Is the file's name. Folders in front of it are left out. */
  name?: string | undefined;
  /** Is the type that the sender named. The bytes decide where they show one. */
  mediaType?: string | undefined;
}

/** Lists what is understood, for those who choose files. The bytes decide in the end. */
export const attachmentKinds = [
  {
    kind: "image",
    mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
    extensions: ["png", "jpg", "jpeg", "gif", "webp"],
  },
  { kind: "pdf", mediaTypes: ["application/pdf"], extensions: ["pdf"] },
  {
    kind: "word",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    extensions: ["docx"],
  },
  {
    kind: "excel",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    extensions: ["xlsx"],
  },
  { kind: "text", mediaTypes: ["text/*", "application/json"], extensions: ["txt", "md", "csv", "json", "xml", "log"] },
] as const;

/** Limits the files that come with one question, what each of them takes, and what they take together, in bytes. */
export const mostAttachments = 20;
export const longestAttachedFile = 20_000_000;
export const longestAttachments = 50_000_000;

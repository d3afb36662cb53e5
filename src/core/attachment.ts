/** Holds a file that comes with a question, as its sender gave it: its bytes may be anything, whatever name and type say. */
export interface Attachment {
  bytes: Uint8Array;
  /** Is the file's name. Folders in front of it are left out. */
  name?: string | undefined;
  /** Is the type that the sender named. The bytes decide where they show one. */
  mediaType?: string | undefined;
}

/** Limits the files that come with one question, and what they take together, in bytes. */
export const mostAttachments = 20;
export const longestAttachments = 50_000_000;

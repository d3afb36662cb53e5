import { findMentionAtEnd } from "./files/file-mention.ts";

/** Whether a menu comes by itself: a command is typed, or a file behind `@`. */
export function canOpenMenu(textBefore: string): boolean {
  // A text that long is looked at no more at each key.
  if (textBefore.length > 200_000) return false;
  return /^\/[^\n]{0,500}$/.test(textBefore) || findMentionAtEnd(textBefore) !== undefined;
}

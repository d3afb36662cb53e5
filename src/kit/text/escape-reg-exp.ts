/** Returns a pattern that matches exactly this text. Node.js has `RegExp.escape` only since version 24. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The text within a Markdown fence, if that is all there is: models put one round what they quote. */
export function removeFence(text: string): string {
  return /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1\s*$/.exec(text)?.[2] ?? text;
}

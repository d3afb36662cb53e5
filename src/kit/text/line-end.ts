/** Returns the line ending of the text's first line. */
export function detectLineEnd(text: string): "\r\n" | "\n" {
  return /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n";
}

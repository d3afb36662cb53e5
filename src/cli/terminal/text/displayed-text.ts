import { sanitize } from "../../../kit/text/sanitize.ts";
import { isSimple } from "./simple-text.ts";

const tab = "    ";

/**
 * The text as it stands on the screen: a newline is a space, a tab is four (wherever it stands, so that a text's width
 * does not depend on its place), and all else that is not printable is made visible. Shown text is shown as it is.
 */
export function toDisplayedText(text: string): string {
  if (isSimple(text)) return text;
  return sanitize(text.replace(/\r?\n/g, " ").replaceAll("\t", tab));
}

export function isPrintableAscii(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

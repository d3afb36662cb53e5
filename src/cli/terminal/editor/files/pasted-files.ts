import { fileURLToPath } from "node:url";
import { toMention } from "./complete-files.ts";

/** Limits a paste that is looked at, in UTF-16 units. */
const longest = 10_000;

/** Matches files that are attached as they are. A pasted path of any other file stays text. */
const attachable = /\.(?:png|jpe?g|gif|webp|pdf|docx|xlsx)$/i;
const image = /\.(?:png|jpe?g|gif|webp)["'”’]?\s*$/i;

/** Is true for a mention (`@path`, or `@"path"`) of an image. */
export function isImageMention(text: string): boolean {
  return text.startsWith("@") && image.test(text);
}

/**
 * Returns a paste as mentions (`@/path`) where it is nothing but absolute paths or `file:` addresses of images and documents: that
 * is what a terminal sends for a file that is dropped on it. `foldImage` shows the mention of an image. Any other paste is returned
 * as it is.
 */
export function toPastedMentions(
  pasted: string,
  textBefore: string,
  foldImage: (mention: string) => string = (mention) => mention,
): string {
  const text = pasted.trim();
  if (text.length > longest || !attachable.test(text.replace(/["']$/, ""))) return pasted;
  const paths = readWords(text)?.map(readPath) ?? [];
  const files = paths.every(isAttachable) ? paths : [readPath(text)].filter(isAttachable);
  if (files.length === 0) return pasted;
  const space = textBefore === "" || /\s$/.test(textBefore) ? "" : " ";
  const mentions = files.map((path) => `@${toMention(path)}`);
  const shown = mentions.map((each) => (isImageMention(each) ? foldImage(each) : each));
  // A label ends by itself.
  const end = shown.at(-1) === mentions.at(-1) ? " " : "";
  return `${space}${shown.join(" ")}${end}`;
}

function isAttachable(path: string | undefined): path is string {
  return path !== undefined && attachable.test(path);
}

/** Splits a text as a shell does. Returns undefined for quotes that do not end. */
function readWords(text: string): string[] | undefined {
  const words: string[] = [];
  let rest = text;
  while (rest !== "") {
    const [found, single, double, plain] = /^(?:'([^']*)'|"([^"]*)"|((?:\\.|[^\s\\'"])+))(?:\s+|$)/s.exec(rest) ?? [];
    if (found === undefined) return undefined;
    // In Windows' paths a backslash is no mark of a character to take as it is.
    words.push(
      single ?? double ?? (isWindowsPath(plain ?? "") ? (plain ?? "") : (plain ?? "").replace(/\\(.)/gs, "$1")),
    );
    rest = rest.slice(found.length);
  }
  return words;
}

function isWindowsPath(text: string): boolean {
  return /^[a-z]:\\/i.test(text);
}

function readPath(written: string): string | undefined {
  if (/^file:\/\//i.test(written)) return readFileUrl(written);
  const isAbsolute = /^(?:\/|~\/)/.test(written) || isWindowsPath(written);
  return isAbsolute && !/[\n\r]/.test(written) ? written : undefined;
}

function readFileUrl(written: string): string | undefined {
  try {
    return fileURLToPath(new URL(written));
  } catch {
    return undefined;
  }
}

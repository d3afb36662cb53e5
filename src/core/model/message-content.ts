import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { ContentPart, FileRef, MessageContent, StoredFile } from "./messages.ts";

/** Returns what a message says, with the name and kind of each image in its place. A document is its name and its text. */
export function toPlainText(content: MessageContent, locale: Locale): string {
  if (typeof content === "string") return content;
  return content.map((part) => toPartText(part, locale)).join("\n\n");
}

function toPartText(part: ContentPart, locale: Locale): string {
  if (part.type === "text") return part.text;
  const name = describeFile(part, locale);
  return part.type === "image" || part.text === "" ? name : `${name}\n${part.text}`;
}

/**
 * Returns the words that stand for an image or a document, such as `[image chart.png: image/png, 640×480]` and
 * `[file report.pdf: application/pdf]`. A note says why it is not shown itself: `[image chart.png: image/png, not sent]`.
 */
export function describeFile(part: FileRef, locale: Locale, note?: Text): string {
  const why = note ? say(locale, { zh: `，${note.zh}`, en: `, ${note.en}` }) : "";
  if (part.type === "file")
    return `[${toLabel(say(locale, { zh: "文件", en: "file" }), part.file)}: ${part.file.mediaType}${why}]`;
  const { image, width, height } = part;
  const size = width === undefined || height === undefined ? [] : [`${width}×${height}`];
  const facts = [image.mediaType, ...size].join(", ");
  return `[${toLabel(say(locale, { zh: "图片", en: "image" }), image)}: ${facts}${why}]`;
}

function toLabel(word: string, { name = "" }: StoredFile): string {
  return name === "" ? word : `${word} ${name}`;
}

/** Guesses how many pages a document has from its size in bytes: a page with its fonts and pictures takes about this much. */
export function estimatePages(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 50_000));
}

export function toParts(content: MessageContent): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the texts of a message, without its images and documents. */
export function listTexts(content: MessageContent): string[] {
  return toParts(content).flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Returns parts as one text where they are nothing else, so that text alone never has two forms. */
export function fromParts(parts: readonly ContentPart[]): MessageContent {
  const texts = listTexts(parts);
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

/** Returns both contents as one, in their order. */
export function joinContents(first: MessageContent, second: MessageContent): MessageContent {
  return fromParts([...toParts(first), ...toParts(second)]);
}

/** Returns the content with other texts: those of the message and those of its documents. */
export function mapTexts(content: MessageContent, change: (text: string) => string): MessageContent {
  if (typeof content === "string") return change(content);
  return content.map((part) => (part.type === "image" ? part : { ...part, text: change(part.text) }));
}

/** Is true when the content says nothing and shows nothing. */
export function isBlankContent(content: MessageContent): boolean {
  return toParts(content).every((part) => part.type === "text" && part.text.trim() === "");
}

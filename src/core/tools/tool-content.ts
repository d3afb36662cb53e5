import { detectMediaType, isImageType } from "../../kit/images/image-type.ts";
import { isRecord, toText } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { countBytes, createMediaReplacer, replaceMediaText } from "./tool-images.ts";

/** Holds a tool result's content in MCP's shape, unchecked: servers omit, misspell and invent fields. */
export type RawContent = Record<string, unknown>;

/**
 * Renders all blocks as one text. Structured content is rendered only when there is no text, because the MCP spec has the text
 * repeat it.
 */
export function renderContent(raw: RawContent, locale: Locale): string {
  const blocks = Array.isArray(raw.content) ? raw.content : [];
  const parts = blocks.map((block) => renderBlock(block, locale));
  const hasText = blocks.some(hasContent);
  if (!hasText && raw.structuredContent !== undefined) parts.push(renderJson(raw.structuredContent, locale));
  // A NUL and half a surrogate pair are refused by some model vendors.
  return replaceMediaText(parts.filter((part) => part !== "").join("\n\n"), locale)
    .toWellFormed()
    .replaceAll("\0", "\ufffd");
}

function hasContent(block: unknown): boolean {
  if (!isRecord(block)) return false;
  return block.type === "resource" || (block.type === "text" && toText(block.text) !== "");
}

function renderBlock(block: unknown, locale: Locale): string {
  if (!isRecord(block)) return renderUnknownBlock(typeof block, locale);
  switch (block.type) {
    case "text":
      return toText(block.text);
    case "image":
      return renderBinary(say(locale, { zh: "图片", en: "image" }), block.mimeType, block.data, locale, isShown(block));
    case "audio":
      return renderBinary(say(locale, { zh: "音频", en: "audio" }), block.mimeType, block.data, locale);
    case "resource":
      return renderResource(block.resource, locale);
    case "resource_link":
      return renderLink(block, locale);
    default:
      return renderUnknownBlock(toText(block.type), locale);
  }
}

function renderResource(resource: unknown, locale: Locale): string {
  if (!isRecord(resource)) return renderUnknownBlock("resource", locale);
  const label = `${say(locale, { zh: "资源", en: "resource" })} ${toText(resource.uri)}`;
  if (typeof resource.text === "string") return `[${label}]\n${resource.text}`;
  return renderBinary(label, resource.mimeType, resource.blob, locale, isShown(resource));
}

/** Renders a link as text and never follows it. */
function renderLink(link: Record<string, unknown>, locale: Locale): string {
  const label = say(locale, { zh: "资源链接", en: "resource link" });
  const words = [toText(link.title) || toText(link.name), toText(link.uri), toText(link.description)];
  return `[${label}: ${words.filter((word) => word !== "").join(" · ")}]`;
}

/** Is true for an image that models may get beside the text. */
function isShown({ mimeType, data, blob }: Record<string, unknown>): boolean {
  const bytes = Buffer.from(toText(data ?? blob).slice(0, 64), "base64");
  return isImageType(detectMediaType(bytes) ?? toText(mimeType));
}

function renderBinary(label: string, mimeType: unknown, data: unknown, locale: Locale, isShown = false): string {
  const bytes = typeof data === "string" ? countBytes(data) : 0;
  const facts = [toText(mimeType), say(locale, { zh: `${bytes} 字节`, en: formatCount(bytes, "byte") })].filter(
    (fact) => fact !== "",
  );
  const note = isShown ? "" : say(locale, { zh: "，未显示", en: ", not shown" });
  return `[${label}: ${facts.join(", ")}${note}]`;
}

function renderUnknownBlock(type: string, locale: Locale): string {
  const name = JSON.stringify(type.slice(0, 40));
  return say(locale, { zh: `[未知类型的内容 ${name}，已略去]`, en: `[content of the unknown type ${name}, omitted]` });
}

function renderJson(value: unknown, locale: Locale): string {
  try {
    return JSON.stringify(value, createMediaReplacer(locale), 2) ?? "";
  } catch {
    // Nesting too deep for the stack.
    return renderUnknownBlock("structuredContent", locale);
  }
}

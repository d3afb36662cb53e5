import { isRecord } from "../core/json.ts";
import { type Locale, say } from "../core/locale.ts";
import type { ToolResult } from "../core/tool.ts";
import { resultLimit } from "./limits.ts";
import type { Redact } from "./redact.ts";

/** What a server answered to `tools/call`, unchecked: servers leave out, misspell and invent. */
export type RawResult = Record<string, unknown>;

/** The answer of a server as the model reads it: text, without the server's secrets, at most 1 MB. */
export function toToolResult(raw: RawResult, redact: Redact, locale: Locale): ToolResult {
  const text = cut(redact(renderContent(raw, locale).slice(0, 2 * resultLimit)), locale);
  if (raw.isError !== true) return { ok: true, text };
  const silent = { zh: "工具报告了错误，但没有说明。", en: "The tool reported an error without saying which." };
  const shown = text.trim() === "" ? say(locale, silent) : text;
  return { ok: false, text: shown, error: { code: "tool", message: shown.slice(0, 500).toWellFormed() } };
}

/** All blocks as one text. Structured content speaks only where no text does, because text repeats it by the spec. */
export function renderContent(raw: RawResult, locale: Locale): string {
  const blocks = Array.isArray(raw.content) ? raw.content : [];
  const parts = blocks.map((block) => renderBlock(block, locale));
  const hasText = blocks.some((block) => isRecord(block) && (block.type === "text" || block.type === "resource"));
  if (!hasText && raw.structuredContent !== undefined) parts.push(json(raw.structuredContent, locale));
  // A NUL and half a surrogate pair are refused by some model vendors.
  return parts
    .filter((part) => part !== "")
    .join("\n\n")
    .toWellFormed()
    .replaceAll("\0", "\ufffd");
}

function renderBlock(block: unknown, locale: Locale): string {
  if (!isRecord(block)) return unknownBlock(typeof block, locale);
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return binary({ zh: "图片", en: "image" }[locale], block.mimeType, block.data, locale);
    case "audio":
      return binary({ zh: "音频", en: "audio" }[locale], block.mimeType, block.data, locale);
    case "resource":
      return renderResource(block.resource, locale);
    case "resource_link":
      return renderLink(block, locale);
    default:
      return unknownBlock(text(block.type), locale);
  }
}

function renderResource(resource: unknown, locale: Locale): string {
  if (!isRecord(resource)) return unknownBlock("resource", locale);
  const label = `${say(locale, { zh: "资源", en: "resource" })} ${text(resource.uri)}`;
  if (typeof resource.text === "string") return `[${label}]\n${resource.text}`;
  return binary(label, resource.mimeType, resource.blob, locale);
}

/** A link is named, never followed. */
function renderLink(link: Record<string, unknown>, locale: Locale): string {
  const label = say(locale, { zh: "资源链接", en: "resource link" });
  const words = [text(link.title) || text(link.name), text(link.uri), text(link.description)];
  return `[${label}: ${words.filter((word) => word !== "").join(" · ")}]`;
}

function binary(label: string, mimeType: unknown, data: unknown, locale: Locale): string {
  const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0;
  const facts = [text(mimeType), `${bytes} ${say(locale, { zh: "字节", en: "bytes" })}`].filter((fact) => fact !== "");
  return `[${label}: ${facts.join(", ")}${say(locale, { zh: "，未显示", en: ", not shown" })}]`;
}

function unknownBlock(type: string, locale: Locale): string {
  const name = JSON.stringify(type.slice(0, 40));
  return say(locale, { zh: `[未知类型的内容 ${name}，已略去]`, en: `[content of the unknown type ${name}, left out]` });
}

function json(value: unknown, locale: Locale): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    // Nesting too deep for the stack.
    return unknownBlock("structuredContent", locale);
  }
}

function cut(whole: string, locale: Locale): string {
  if (whole.length <= resultLimit) return whole;
  const note = say(locale, {
    zh: `[结果过长，只保留前 ${resultLimit} 个字符]`,
    en: `[result too long: only the first ${resultLimit} characters are kept]`,
  });
  // The cut may halve a surrogate pair.
  return `${whole.slice(0, resultLimit).toWellFormed()}\n${note}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

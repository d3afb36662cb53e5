import type { ToolContent, ToolContext, ToolResult } from "../../core/tools/tool.ts";
import { renderContent } from "../../core/tools/tool-content.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { resultLimit } from "../limits.ts";
import { type Redact, redactJson } from "../redact.ts";
import { readAgentUsage } from "./agent-usage.ts";

/** What a server answered to `tools/call`, unchecked: servers leave out, misspell and invent. */
export type RawResult = Record<string, unknown>;

/** The answer of a server as the model reads it: text, without the server's secrets, at most 1 MB. */
export function toToolResult(
  raw: RawResult,
  redact: Redact,
  { locale, wantsContent }: Pick<ToolContext, "locale" | "wantsContent">,
): ToolResult {
  const text = cut(redact(renderContent(raw, locale).slice(0, 2 * resultLimit)), locale);
  const content = wantsContent ? toContent(raw, redact) : undefined;
  const usage = readAgentUsage(raw.structuredContent);
  if (raw.isError !== true) return { ok: true, text, content, usage };
  const silent = { zh: "工具报告了错误，但没有说明。", en: "The tool reported an error without saying which." };
  const shown = text.trim() === "" ? say(locale, silent) : text;
  return {
    ok: false,
    text: shown,
    content,
    usage,
    error: { code: "tool", message: shown.slice(0, 500).toWellFormed() },
  };
}

/** The same as a host takes it. Blocks that are none are left out; what they hold is the host's to judge. */
function toContent(raw: RawResult, redact: Redact): ToolContent {
  const { content, structuredContent, _meta } = redactJson(raw, redact);
  return {
    blocks: Array.isArray(content) ? content.filter(isRecord) : [],
    ...(isRecord(structuredContent) && { structured: structuredContent }),
    ...(isRecord(_meta) && { meta: _meta }),
  };
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

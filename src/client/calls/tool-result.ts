import type { AgentUsage, ToolContent, ToolContext, ToolResult } from "../../core/tools/tool.ts";
import { renderContent } from "../../core/tools/tool-content.ts";
import { readImages } from "../../core/tools/tool-images.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { resultLimit } from "../limits.ts";

/** Holds a server's unvalidated result of `tools/call`: servers omit, misspell and invent fields. */
export type RawResult = Record<string, unknown>;

/** Converts the server's answer for the model: text without the server's secrets, at most 1 MB. */
export function toToolResult(
  raw: RawResult,
  redact: Redact,
  { locale, wantsContent }: Pick<ToolContext, "locale" | "wantsContent">,
): ToolResult {
  const text = cut(redact(renderContent(raw, locale).slice(0, 2 * resultLimit)), locale);
  const content = wantsContent ? toContent(raw, redact) : undefined;
  // A host that gets the content shows the images itself.
  const images = wantsContent ? [] : readImages(raw);
  const usage = readAgentUsage(raw.structuredContent);
  if (raw.isError !== true) return { ok: true, text, content, ...(images.length > 0 && { images }), usage };
  const silent = { zh: "工具报告了错误，但没有说明。", en: "The tool reported an error without a message." };
  const shown = text.trim() === "" ? say(locale, silent) : text;
  return {
    ok: false,
    text: shown,
    content,
    usage,
    error: { code: "tool", message: shown.slice(0, 500).toWellFormed() },
  };
}

/** Converts the result for a host. Invalid blocks are left out; the host validates the content of the others. */
function toContent(raw: RawResult, redact: Redact): ToolContent {
  const { content, structuredContent, _meta } = redactValue(raw, redact);
  return {
    blocks: Array.isArray(content) ? content.filter(isRecord) : [],
    ...(isRecord(structuredContent) && { structured: structuredContent }),
    ...(structuredContent !== raw.structuredContent && { isStructuredRedacted: true }),
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

/**
 * Reads the usage that another agent reports in a result of our own shape (docs/development/contract.md#result), for itself and
 * the agents that it called. Only finite, non-negative numbers count, so that a false report can only shorten the calling run.
 */
export function readAgentUsage(structured: unknown): AgentUsage | undefined {
  if (!isRecord(structured)) return undefined;
  const { run_id: runId, stop_reason: reason, status, meta } = structured;
  if (typeof runId !== "string" || typeof reason !== "string") return undefined;
  if (!isRecord(meta) || typeof meta.tool_calls_count !== "number") return undefined;
  const bills = [meta, meta.agents].filter(isRecord).map(readUsage);
  return {
    runId: runId.slice(0, 200),
    runs: 1 + Math.floor(readAmount(isRecord(meta.agents) ? meta.agents.runs : undefined) ?? 0),
    tokens: bills.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: bills.reduce((sum, { cost }) => sum + cost, 0),
    isCostKnown: bills.every(({ isCostKnown }) => isCostKnown),
    isOver: status !== "running",
  };
}

function readUsage({
  total_tokens,
  cost_usd,
  known_cost_usd,
}: Record<string, unknown>): Pick<AgentUsage, "tokens" | "cost" | "isCostKnown"> {
  const [tokens, cost] = [readAmount(total_tokens), readAmount(cost_usd)];
  // Who has asked no model has no price to know.
  return {
    tokens: Math.ceil(tokens ?? 0),
    cost: cost ?? readAmount(known_cost_usd) ?? 0,
    isCostKnown: cost !== undefined || tokens === 0,
  };
}

function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

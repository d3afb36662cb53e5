import { type CallToolResult, type ContentBlock, isSpecType } from "@modelcontextprotocol/server";
import type { Tool, ToolResult } from "../../../core/tools/tool.ts";
import { renderContent } from "../../../core/tools/tool-content.ts";
import { isRecord } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createFailedResult } from "../failed-result.ts";

/** What a tool gave, for a host: as its server gave it where there is one, else as text. */
export function toCallResult(tool: Tool, result: ToolResult, locale: Locale): CallToolResult {
  const { ok, text, content } = result;
  const isServersOwn = content !== undefined && (ok || result.error?.code === "tool");
  if (!isServersOwn) return ok ? readable(text) : createFailedResult(text);
  const blocks = content.blocks.map((block) => toBlock(block, locale));
  const _meta = forHost(content.meta);
  const structuredContent = isRecord(content.structured) ? content.structured : undefined;
  if (!ok) return { content: blocks, structuredContent, _meta, isError: true };
  // A host refuses such a result without showing it, and its model must not think that nothing has happened.
  if (tool.outputSchema !== undefined && structuredContent === undefined)
    return { content: [{ type: "text", text: say(locale, ranWithout(tool)) }, ...blocks], _meta, isError: true };
  return { content: blocks, structuredContent, _meta };
}

function readable(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** A block that MCP does not know would cost the host the whole result. */
function toBlock(block: Record<string, unknown>, locale: Locale): ContentBlock {
  if (isSpecType.ContentBlock(block)) return block;
  return { type: "text", text: renderContent({ content: [block] }, locale) };
}

/** Keys of the protocol itself are about one connection, and that one ends here. */
function forHost(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> | undefined {
  const entries = Object.entries(meta ?? {}).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function ranWithout({ source }: Tool) {
  return {
    zh: `工具已经执行，但服务器 ${source} 的结果缺少其 outputSchema 所承诺的 structuredContent（这是该服务器的错误）。不要为此重复调用。它给出的内容：`,
    en: `The tool has run, but the result of the server ${source} lacks the structuredContent that its outputSchema promises (a fault of that server). Do not call it again for that. What it gave:`,
  };
}

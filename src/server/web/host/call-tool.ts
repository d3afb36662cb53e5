import { isRecord, toText } from "../../../kit/json.ts";
import type { Messages, RequestOptions } from "./message-types.ts";

/** A tool's result as it came, or as far as it is known. */
export interface CallResult {
  readonly isError: boolean;
  readonly structured: Record<string, unknown> | undefined;
  /** All of its text blocks. */
  readonly text: string;
}

/** Calls a tool of the page's own server through the host. */
export type CallTool = (name: string, args: object, options: RequestOptions) => Promise<CallResult>;

export function createToolCaller(messages: Messages): CallTool {
  return async (name, args, options) =>
    readResult(await messages.request("tools/call", { name, arguments: args }, options));
}

export function readResult(result: unknown): CallResult {
  const { isError, structuredContent, content } = isRecord(result) ? result : {};
  const blocks = Array.isArray(content) ? content : [];
  return {
    isError: isError === true,
    structured: isRecord(structuredContent) ? structuredContent : undefined,
    text: blocks.flatMap((block) => (isRecord(block) && toText(block.text)) || []).join("\n"),
  };
}

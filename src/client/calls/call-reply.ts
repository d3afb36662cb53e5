import type { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { withHint } from "../unusable-server.ts";
import type { RawResult } from "./tool-result.ts";

/** Holds a result of the server, or why nothing was sent to it. */
export type CallReply =
  | { reply: "result"; result: RawResult }
  | { reply: "refused"; code: "unavailable" | "tool_changed" | "auth"; text: Text };

/** Reports that the server is unavailable. `retryInMs` says when it is tried again, and is null when only a call does that. */
export function toUnavailableReply(server: string, error: DuetError, retryInMs: number | null): CallReply {
  if (error.code === "auth") return { reply: "refused", code: "auth", text: withHint(error) };
  const again = retryInMs === null || retryInMs <= 0 ? anyTime : describeDelay(Math.ceil(retryInMs / 1000));
  const text = {
    zh: `MCP 服务器 ${server} 暂时不可用，没有发送调用。${again.zh}\n${error.text.zh}`,
    en: `MCP server ${server} is temporarily unavailable; nothing was sent. ${again.en}\n${error.text.en}`,
  };
  return { reply: "refused", code: "unavailable", text };
}

const anyTime: Text = { zh: "下次调用时会再试。", en: "The next call tries it again." };
const describeDelay = (seconds: number): Text => ({
  zh: `${seconds} 秒后可再试。`,
  en: `It can be tried again in ${seconds} s.`,
});

/** The tool is not what was approved; nothing may be sent to it. */
export function toChangedReply(server: string, tool: string): CallReply {
  const text = {
    zh: `工具 ${tool}（${server}）的定义与批准时不同，已停用，没有发送调用。请用户查看并批准：duet tools approve ${server}`,
    en: `The tool ${tool} of ${server} differs from its approved version, so it is blocked and nothing was sent. A person has to review it: duet tools approve ${server}`,
  };
  return { reply: "refused", code: "tool_changed", text };
}

/** The server does not list the tool any more. */
export function toGoneReply(server: string, tool: string): CallReply {
  const text = {
    zh: `MCP 服务器 ${server} 不再提供工具 ${tool}，没有发送调用。`,
    en: `MCP server ${server} no longer offers the tool ${tool}; nothing was sent.`,
  };
  return { reply: "refused", code: "unavailable", text };
}

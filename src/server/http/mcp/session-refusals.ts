import { ProtocolErrorCode, specTypeSchemas } from "@modelcontextprotocol/server";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { Message } from "../../mcp/check-message.ts";
import { describeIssues } from "../../mcp/describe-params.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { McpExchange } from "./mcp-exchange.ts";

/** Refuses a request without the ID of a session. */
export const noIdRefusal: HttpRefusal = {
  status: 400,
  text: {
    zh: "缺少 Mcp-Session-Id（请先发送 initialize）",
    en: "Mcp-Session-Id is missing (send initialize first)",
  },
};

/** The status tells the client to start again with `initialize` (Streamable HTTP, session management). */
export function createUnknownSessionRefusal({ message }: McpExchange, session: string): HttpRefusal {
  const shown = showValue(session);
  return {
    status: 404,
    code: -32_001,
    id: message?.id,
    text: {
      zh: `没有会话 ${shown}（请发送 initialize 开始新的会话）`,
      en: `Session not found: ${shown} (send initialize to start a new one)`,
    },
  };
}

/** Returns true for what the package says of an `initialize` request that it cannot read. Its other refusals say what is wrong. */
export async function isNotInitialized(response: Response): Promise<boolean> {
  return response.status === 400 && (await response.clone().text()).includes("Server not initialized");
}

/** Returns what is wrong with an `initialize` request, and undefined where nothing is. */
export async function findInitializeProblem(message: Message | undefined): Promise<HttpRefusal | undefined> {
  if (message === undefined) return undefined;
  const { issues = [] } = await specTypeSchemas.InitializeRequest["~standard"].validate(message.body);
  const text = issues.length === 0 ? undefined : describeIssues(issues, message.body);
  return text && { status: 400, code: ProtocolErrorCode.InvalidParams, id: message.id, text };
}

export function createFullRefusal(most: number): HttpRefusal {
  return {
    status: 503,
    text: { zh: `全部 ${most} 个会话都在使用中，请稍后再试`, en: `all ${most} sessions are in use; try again later` },
    headers: { "retry-after": "5" },
  };
}

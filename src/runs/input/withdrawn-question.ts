import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";

/** Describes why nobody waits for the answer: the question was withdrawn, was answered before, or was never asked. */
function describeWithdrawnQuestion(requestState: string): Text {
  const shown = JSON.stringify(truncate(sanitizeLine(requestState), 100));
  return {
    zh: `requestState ${shown} 没有对应的待答复问题（允许：同一请求上一个结果给出的值，只能用一次，须在 10 分钟内）。请重新发出请求，不带 requestState。`,
    en: `No question is waiting under the requestState ${shown} (allowed: the one in the last result of the same request, once, within 10 minutes). Send the request again without it.`,
  };
}

/**
 * Reports an answer to a question that is no longer open. It is an error of the protocol and never a result of the request: a
 * state that was changed on its way must not reach the work that it names (MCP 2026-07-28, multi round-trip requests).
 */
export function withdrawnQuestionError(requestState: string, locale: Locale): ProtocolError {
  const message = say(locale, describeWithdrawnQuestion(requestState));
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { reason: "invalid_request_state" });
}

import type { AssistantMessage, Message, NativeTurn, ToolMessage } from "../core/messages.ts";
import type { ModelSettings } from "./settings.ts";

/**
 * The conversation in the form that every vendor demands: each call is followed by exactly its own result. A call that
 * was never run gets a result that says so, a result without a call goes, an assistant message that says nothing too.
 */
export function pairedHistory(messages: readonly Message[]): Message[] {
  const paired: Message[] = [];
  messages.forEach((message, position) => {
    if (message.role === "tool") return;
    if (message.role === "assistant" && message.toolCalls.length === 0 && !message.content.trim()) return;
    paired.push(message);
    if (message.role === "assistant") paired.push(...resultsOf(message, messages.slice(position + 1)));
  });
  return paired;
}

function resultsOf(message: AssistantMessage, later: readonly Message[]): ToolMessage[] {
  const results = new Map<string, ToolMessage>();
  for (const next of later) {
    if (next.role === "assistant") break;
    if (next.role === "tool" && !results.has(next.callId)) results.set(next.callId, next);
  }
  return message.toolCalls.map(
    (call) => results.get(call.id) ?? { role: "tool", callId: call.id, tool: call.name, content: notRun, ok: false },
  );
}

const notRun = "This call was not run.";

/** What the author of a message left for itself, if the model now called is the author. */
export function nativePayload(native: NativeTurn | undefined, settings: ModelSettings): unknown {
  const own =
    native?.wire === settings.wire && native.provider === settings.provider && native.model === settings.model;
  return own ? native.payload : undefined;
}

/** Vendors check the names in the history too, and models make up names that break the rule. */
export function wireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

import type { Message, ToolCall, ToolMessage } from "../../core/messages.ts";

/**
 * The conversation in the form that every vendor demands: each call is followed by exactly its own result, in the order
 * of the calls. A call that was never run gets a result that says so; a result without a call goes, and so does a
 * message that says nothing.
 */
export function pairHistory(messages: readonly Message[]): Message[] {
  const paired: (Message | Slot)[] = [];
  // Servers use an id again in later turns: then it means the later call.
  const open = new Map<string, Slot[]>();
  for (const message of messages) {
    if (message.role === "tool") {
      const slot = open.get(message.callId)?.shift();
      if (slot) slot.result = { ...message, tool: slot.call.name };
      continue;
    }
    const slots = message.role === "assistant" ? message.toolCalls.map((call): Slot => ({ call })) : [];
    if (slots.length === 0 && isBlank(message.content)) continue;
    paired.push(message, ...slots);
    for (const [id, sharing] of Map.groupBy(slots, ({ call }) => call.id)) open.set(id, sharing);
  }
  return paired.map((entry) => ("call" in entry ? (entry.result ?? notRun(entry.call)) : entry));
}

/** The place of a call's result. */
interface Slot {
  call: ToolCall;
  result?: ToolMessage;
}

function notRun(call: ToolCall): ToolMessage {
  return { role: "tool", callId: call.id, tool: call.name, content: "This call was not run.", ok: false };
}

/** Vendors check the names in the history too, and models make up names that break the rule. */
export function toWireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

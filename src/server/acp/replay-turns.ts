import type { SessionUpdate, ToolKind } from "@agentclientprotocol/sdk";
import { readFenced } from "../../agent/context/fence.ts";
import { toPlainText } from "../../core/model/message-content.ts";
import type { Conversation, ConversationTurn } from "../../core/store/conversations/conversation.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { findLocations, toTitle } from "./session-updates.ts";

/** Limits a result of an earlier turn as an editor shows it, in UTF-16 units. */
const longestResult = 2_000;

/** Returns what an editor shows of the turns of a conversation that it opens again. */
export function replayTurns(
  { turns, marker }: Pick<Conversation, "turns" | "marker">,
  findKind: (tool: string) => ToolKind,
): SessionUpdate[] {
  const show = (text: string): string => (marker === undefined ? text : readFenced(text, marker));
  return turns.flatMap((turn, index) => replayTurn(turn, index, { findKind, show }));
}

interface ReplayOptions {
  findKind(tool: string): ToolKind;
  /** Returns what a person reads of a text for models. */
  show(text: string): string;
}

function replayTurn(
  { question, answer, steps = [] }: ConversationTurn,
  index: number,
  { findKind, show }: ReplayOptions,
): SessionUpdate[] {
  const calls = steps.flatMap(({ message, results }, step) =>
    message.toolCalls.map((call, n): SessionUpdate => {
      const result = results.find(({ callId }) => callId === call.id);
      const text = result ? truncate(show(toPlainText(result.content, "en")), longestResult) : "";
      return {
        sessionUpdate: "tool_call",
        toolCallId: `turn-${index}-${step}-${n}`,
        title: toTitle(call.name, call.arguments ?? {}),
        name: call.name,
        kind: findKind(call.name),
        status: result?.ok === false ? "failed" : "completed",
        rawInput: call.arguments,
        locations: findLocations(call.arguments ?? {}),
        content: text === "" ? [] : [{ type: "content", content: { type: "text", text } }],
      };
    }),
  );
  const texts: SessionUpdate[] =
    answer === "" ? [] : [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: answer } }];
  return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: question } }, ...calls, ...texts];
}

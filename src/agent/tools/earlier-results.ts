import { toPlainText } from "../../core/model/message-content.ts";
import type { ToolMessage } from "../../core/model/messages.ts";
import type { Conversation, ConversationTurn, NumberedResult } from "../../core/store/conversations/conversation.ts";
import { readFenced } from "../context/fence.ts";
import type { EarlierResults } from "./tool-results.ts";

/**
 * Opens the results of a conversation's earlier turns: those of which models have read parts, and those that stand in full in a
 * turn. `last` is the highest number that one of them has.
 */
export function openEarlierResults(
  { results, turns, sources, marker = "" }: Conversation,
  last: number,
): EarlierResults {
  const findMessage = (n: number): ToolMessage | undefined =>
    listResultMessages(turns).find(({ result }) => result === n);
  return {
    last,
    async get(n) {
      const kept = await results?.get(n);
      if (kept !== undefined) return kept;
      const shown = findMessage(n);
      return shown && readText(shown, marker);
    },
    findSource(n) {
      const { kind, numbers: [number] = [] } = findMessage(n)?.sources ?? {};
      return (kind === "page" || kind === "file") && number !== undefined ? sources.get(number) : undefined;
    },
  };
}

/** Returns the highest number that a result of the conversation has. */
export function findLastNumber({ results, turns }: Conversation): number {
  return results?.last ?? Math.max(0, ...listResultMessages(turns).map(({ result = 0 }) => result));
}

/** Lists the results of turns that have a number, with the text that models read between the marks. */
export function listEarlierResults(turns: readonly ConversationTurn[], marker: string): NumberedResult[] {
  return listResultMessages(turns).flatMap((message) =>
    message.result === undefined ? [] : [{ n: message.result, text: readText(message, marker) }],
  );
}

function listResultMessages(turns: readonly ConversationTurn[]): ToolMessage[] {
  return turns.flatMap(({ steps = [] }) => steps.flatMap(({ results }) => results));
}

/** Returns what a result says without the marks around it, and without what stands behind them. */
function readText({ content }: ToolMessage, marker: string): string {
  return readFenced(toPlainText(content, "en"), marker);
}

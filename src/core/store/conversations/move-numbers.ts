import { mapTexts } from "../../model/message-content.ts";
import type { AssistantMessage, ToolMessage } from "../../model/messages.ts";
import type { ConversationTurn, NumberedResult } from "./conversation.ts";

/** Holds the numbered results of a run and the turn that names them. */
export interface NumberedRun {
  turn: ConversationTurn;
  results: readonly NumberedResult[];
}

/**
 * Moves the numbers above `after` by `by`, also where a turn says how a result is read on: two runs of a conversation may have
 * gone on side by side.
 */
export function moveNumbers({ turn, results }: NumberedRun, after: number, by: number): NumberedRun {
  const toRaised = (n: number): number => (n > after ? n + by : n);
  const changeText = (text: string): string =>
    text.replace(pointer, (_, before: string, n: string) => `${before}${toRaised(Number(n))}`);
  const changeResult = ({ result, ...message }: ToolMessage): ToolMessage => ({
    ...message,
    content: mapTexts(message.content, changeText),
    ...(result !== undefined && { result: toRaised(result) }),
  });
  const changeMessage = (message: AssistantMessage): AssistantMessage => {
    if (!message.toolCalls.some(({ name }) => name.endsWith("read_result"))) return message;
    const { native: _, ...neutral } = message;
    const toolCalls = message.toolCalls.map((call) => {
      const n = call.name.endsWith("read_result") ? call.arguments?.result : undefined;
      if (typeof n !== "number") return call;
      const args = { ...call.arguments, result: toRaised(n) };
      return { ...call, argumentsText: JSON.stringify(args), arguments: args };
    });
    return { ...neutral, toolCalls };
  };
  const steps = turn.steps?.map((step) => ({
    ...step,
    message: changeMessage(step.message),
    results: step.results.map(changeResult),
  }));
  const { answerPrompt } = turn;
  return {
    turn: {
      ...turn,
      ...(steps && { steps }),
      ...(answerPrompt !== undefined && { answerPrompt: changeText(answerPrompt) }),
    },
    results: results.map(({ n, text }) => ({ n: toRaised(n), text })),
  };
}

/** Matches how a text names the call that reads a result on. */
const pointer = /(read_result \{"result": ?)(\d+)/g;

/** Returns the highest number that a run has given to a result, and 0 where it has given none. */
export function findLastResult({ turn, results }: NumberedRun): number {
  const shown = (turn.steps ?? []).flatMap((step) => step.results.map(({ result = 0 }) => result));
  return Math.max(0, ...shown, ...results.map(({ n }) => n));
}

/** Returns the number of the result of which a text says how it is read on; undefined where it says nothing of that kind. */
export function findResultNumber(text: string): number | undefined {
  const n = [...text.matchAll(pointer)].at(-1)?.[2];
  return n === undefined ? undefined : Number(n);
}

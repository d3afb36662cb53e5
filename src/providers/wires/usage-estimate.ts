import type { ModelRequest, Usage } from "../../core/model.ts";
import { estimateMessageTokens, estimateTokens, estimateToolTokens } from "../estimate-tokens.ts";
import type { TurnReader } from "./turn-reader.ts";

/** What a reader knows of the tokens of its turn, at any moment. */
export type ReceivedTurn = Pick<TurnReader, "usage" | "written" | "done">;

/**
 * The usage of a turn, with our own estimate where the vendor told none: a budget must hold for vendors that do not
 * count, too. Nothing is estimated where it was told.
 */
export function toTurnUsage(request: ModelRequest, received: ReceivedTurn): Usage {
  const { usage } = received;
  const inputTokens = usage.inputTokens || estimateMessageTokens(request.messages) + estimateToolTokens(request.tools);
  const outputTokens = usage.outputTokens || estimateTokens(received.written);
  if (inputTokens === usage.inputTokens && outputTokens === usage.outputTokens) return usage;
  return { ...usage, inputTokens, outputTokens, estimated: true };
}

/** What an attempt without a turn used; undefined when nothing shows that it reached the model. */
export function toFailureUsage(request: ModelRequest, received: ReceivedTurn): Usage | undefined {
  const { usage, done } = received;
  const isReached = done || usage.inputTokens > 0 || usage.outputTokens > 0 || received.written !== "";
  return isReached ? toTurnUsage(request, received) : undefined;
}

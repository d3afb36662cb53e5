import {
  type Model,
  type ModelRequest,
  noUsage,
  type Turn,
  toModelName,
  type Usage,
} from "../../../core/model/model.ts";
import { countRequestTokens, countTokens } from "../../context/context-window.ts";

/**
 * Streams a turn until it ends or is stopped, and returns undefined where it was stopped. The two signals differ: after `signal`
 * the run does not go on with what was said.
 */
export async function streamUntilStopped(
  { signal, stopSignal }: { signal: AbortSignal; stopSignal?: AbortSignal | undefined },
  stream: (signal: AbortSignal) => Promise<Turn>,
): Promise<Turn | undefined> {
  if (stopSignal === undefined) return stream(signal);
  try {
    return await stream(AbortSignal.any([signal, stopSignal]));
  } catch (thrown) {
    if (signal.aborted || !stopSignal.aborted) throw thrown;
    return undefined;
  }
}

/** Returns the turn of a model that was stopped. What it used is charged by itself. */
export function toStoppedTurn(model: Model, said: string): Turn {
  const author = toModelName(model);
  return { message: { role: "assistant", content: said, toolCalls: [], author }, finish: "stop", usage: noUsage };
}

/** Estimates what a stopped turn has used, for a model that does not say so itself. */
export function estimateStoppedUsage(model: Model, request: ModelRequest, said: string): Usage {
  const inputTokens = countRequestTokens(model, request);
  return { ...noUsage, inputTokens, outputTokens: countTokens(model, said), estimated: true };
}

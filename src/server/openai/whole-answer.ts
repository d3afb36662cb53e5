import type { AgentEvent } from "../../core/events.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import { RefusedError } from "../http/response/refuse.ts";
import { toCompletion } from "./completion.ts";
import { toCompletionEnd } from "./finish.ts";
import { createReasoning } from "./reasoning.ts";
import type { AnswerOptions } from "./stream-answer.ts";

/** A run as one chat completion, when it has ended. Throws `Refused` where it has no answer. */
export async function waitForCompletion(
  run: RunHandle,
  { naming, locale, notes, ended }: AnswerOptions,
  signal: AbortSignal,
): Promise<object> {
  const reasoning = createReasoning(locale);
  const thoughts: string[] = notes.map((note) => `ℹ ${note}\n\n`);
  const take = (event: AgentEvent): void => void thoughts.push(reasoning(event));
  for (const event of run.events) take(event);
  const unfollow = run.follow(take);
  const outcome = await ended(run, signal);
  unfollow();
  const ending = toCompletionEnd(outcome ?? run.snapshot(), locale);
  if ("failure" in ending) throw new RefusedError(ending.failure);
  const { notice, ...said } = ending;
  if (notice !== "") thoughts.push(`\n\n${notice}`);
  return toCompletion(naming, { ...said, content: run.snapshot().response, reasoning: thoughts.join("").trim() });
}

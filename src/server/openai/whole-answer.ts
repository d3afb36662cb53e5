import type { AgentEvent } from "../../core/events.ts";
import type { HeldRun } from "../../runs/run-handle.ts";
import { Refused } from "../http/response/refuse.ts";
import { completionOf } from "./completion.ts";
import { endingOf } from "./finish.ts";
import { createReasoning } from "./reasoning.ts";
import type { AnswerOptions } from "./stream-answer.ts";

/** A run as one chat completion, when it has ended. Throws `Refused` where it has no answer. */
export async function wholeAnswer(
  run: HeldRun,
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
  const ending = endingOf(outcome ?? run.soFar(), locale);
  if ("failure" in ending) throw new Refused(ending.failure);
  const { notice, ...said } = ending;
  if (notice !== "") thoughts.push(`\n\n${notice}`);
  return completionOf(naming, { ...said, content: run.soFar().response, reasoning: thoughts.join("").trim() });
}

import { say } from "../../kit/locale.ts";
import { formatDay } from "../prompts/prompts.ts";
import type { RunInput } from "../run.ts";

/**
 * Returns the line that tells models the day. It stands before the question and in no system prompt, so that a conversation keeps
 * the beginning that is in a vendor's cache when a new day comes.
 */
export function renderDayNote({ begunAt, language, day }: Pick<RunInput, "begunAt" | "language" | "day">): string {
  const today = formatDay(new Date(begunAt));
  return say(language, { zh: `今天是 ${today}（${day}）。`, en: `Today is ${today} (${day}).` });
}

/** Puts what is told beside the question before it. */
export function joinNote(note: string | undefined, text: string): string {
  return note === undefined ? text : `${note}\n\n${text}`;
}

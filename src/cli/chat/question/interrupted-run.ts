import type { ResumableRun } from "../../../app/ask/resume-run.ts";
import type { StoredRuns } from "../../../app/conversations/stored-runs.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderTime } from "../../../render/render-time.ts";
import { toTypedQuestion } from "../../../render/typed-question.ts";

/** Limits the question in the line about an interrupted run, in characters. */
const longestQuestion = 60;

/** Returns the newest run of a terminal that a crash has interrupted, of this conversation where one is named. */
export async function findInterruptedRun(
  storedRuns: Pick<StoredRuns, "listInterrupted">,
  conversationId?: string,
): Promise<ResumableRun | undefined> {
  const runs = await storedRuns.listInterrupted(conversationId);
  return runs.findLast(({ owner, header }) => owner === undefined && header.entrance === "terminal");
}

/** Renders the line that offers the run. */
export function renderInterruptedRun({ header, lastAt }: ResumableRun, locale: Locale): string {
  const question = toShortLine(toTypedQuestion(header.question), longestQuestion);
  const time = renderTime(lastAt);
  return say(locale, {
    zh: `↻ 程序上次意外结束，中断了“${question}”（${time}）。/continue 从记录继续。`,
    en: `↻ The program ended unexpectedly during “${question}” (${time}). /continue goes on from its records.`,
  });
}

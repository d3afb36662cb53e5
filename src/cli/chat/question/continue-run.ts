import type { StoredRuns } from "../../../app/conversations/stored-runs.ts";
import type { ResumableRun } from "../../../app/resume-run.ts";
import { toGoOnQuestion } from "../../../core/go-on.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderTime } from "../../../render/render-time.ts";
import { toTypedQuestion } from "../../../render/typed-question.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { applyChoices } from "../conversation/open-conversation.ts";
import type { Offer } from "../offers.ts";
import type { Ask } from "./create-ask.ts";

/** Limits the question in the line about an interrupted run, in characters. */
const longestQuestion = 60;

/** Returns the newest run of a terminal that a crash has interrupted. */
export async function findInterruptedRun(
  storedRuns: Pick<StoredRuns, "listInterrupted">,
): Promise<ResumableRun | undefined> {
  const runs = await storedRuns.listInterrupted();
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

export interface ContinueOptions {
  chat: Pick<Chat, "duet" | "settings" | "reader" | "write" | "refresh">;
  /** Is what the chat offers. */
  offer: Offer | undefined;
  ask: Ask;
}

/** Goes on with the run that has reached a limit, or that a crash has interrupted. Returns false when there is none; rejects at a stop. */
export async function continueRun({ chat, offer, ask }: ContinueOptions, stop: AbortSignal): Promise<boolean> {
  const { duet, settings } = chat;
  if (offer?.command === "/continue") {
    await ask(toGoOnQuestion(offer.question, settings.locale), offer.mode, { goesOn: true });
    return true;
  }
  const run = await findInterruptedRun(duet.storedRuns);
  if (run === undefined) return false;
  const { mode, models } = settings;
  const lines = chat.reader ? await applyChoices(chat, run.header, { signal: stop }) : [];
  stop.throwIfAborted();
  const taken = await duet.storedRuns.takeInterrupted(run.runId);
  // Another terminal goes on with it.
  if (taken === undefined) {
    Object.assign(settings, { mode, models });
    return false;
  }
  chat.write(...lines.map((line) => createLine(line, "dim")));
  chat.refresh();
  await ask(taken.header.question, taken.header.mode, { resumed: taken });
  return true;
}

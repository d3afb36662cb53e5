import { toGoOnQuestion } from "../../../core/run/go-on.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { readLastTurn } from "../conversation/last-turn.ts";
import { applyChoices } from "../conversation/open-conversation.ts";
import type { Offer } from "../offers.ts";
import type { Ask } from "./create-ask.ts";
import { findInterruptedRun } from "./interrupted-run.ts";

export interface ContinueOptions {
  chat: Pick<Chat, "duet" | "settings" | "conversation" | "reader" | "write" | "refresh">;
  /** Is what the chat offers. */
  offer: Offer | undefined;
  ask: Ask;
}

/** Goes on with the run that has reached a limit, or that a crash has interrupted. Returns false when there is none; rejects at a stop. */
export async function continueRun(options: ContinueOptions, stop: AbortSignal): Promise<boolean> {
  const { chat, ask } = options;
  const { duet, settings } = chat;
  const offer = options.offer ?? (await findLimitedTurn(chat, stop));
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

/** Finds the limited turn with which the conversation ended before this chat. Piped input is not shown that, so nothing is offered to it. */
async function findLimitedTurn(
  { duet, conversation: { id, runId } }: Pick<Chat, "duet" | "conversation">,
  stop: AbortSignal,
): Promise<Offer | undefined> {
  if (id === undefined || runId !== undefined) return undefined;
  return (await readLastTurn(duet, id, stop))?.offer;
}

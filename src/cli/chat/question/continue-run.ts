import { toGoOnQuestion } from "../../../core/go-on.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { applyChoices } from "../conversation/open-conversation.ts";
import type { Offer } from "../offers.ts";
import type { Ask } from "./create-ask.ts";
import { findInterruptedRun } from "./interrupted-run.ts";

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

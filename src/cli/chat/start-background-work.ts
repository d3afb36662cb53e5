import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createLine } from "../terminal/text/line.ts";
import type { Chat } from "./chat.ts";
import type { Offers } from "./offers.ts";
import type { OwnCommands } from "./own-commands/own-commands.ts";
import { findInterruptedRun, renderInterruptedRun } from "./question/interrupted-run.ts";
import type { ModelNames } from "./settings/switch-models.ts";
import type { StatusLine } from "./status/status-line.ts";
import type { Tasks } from "./tasks.ts";

/** Delays background work until the first prompt is on the screen, in milliseconds. */
const firstFrameMs = 20;

export interface BackgroundWorkOptions {
  chat: Pick<Chat, "duet" | "settings" | "reader" | "write">;
  models: Pick<ModelNames, "refresh">;
  offers: Pick<Offers, "offer">;
  ownCommands: Pick<OwnCommands, "reload" | "takeProblems">;
  status: Pick<StatusLine, "refresh">;
  tasks: Pick<Tasks, "isLeaving">;
  /** Redraws after the commands of the user's own have been read. */
  onCommands(): void;
  signal: AbortSignal;
}

/**
 * Starts what the first prompt does not show, once that is on the screen: the names of the models, the status line, the servers, the
 * offer of an interrupted run and the commands of the user's own. Returns what cancels it while it has not begun.
 */
export function startBackgroundWork(options: BackgroundWorkOptions): () => void {
  const { chat, models, offers, ownCommands, status, tasks, onCommands, signal } = options;
  const { duet, settings } = chat;

  async function offerInterrupted(): Promise<void> {
    const run = duet.storedRuns.areRecorded ? await findInterruptedRun(duet.storedRuns) : undefined;
    // `/continue` goes on with what is offered first.
    if (run && !tasks.isLeaving && offers.offer?.command !== "/continue")
      chat.write(createLine(renderInterruptedRun(run, settings.locale), "dim"));
  }

  async function readOwnCommands(): Promise<void> {
    await ownCommands.reload(signal);
    if (tasks.isLeaving || signal.aborted) return;
    chat.write(...ownCommands.takeProblems(settings.locale).map((line) => createLine(line, "dim")));
    onCommands();
  }

  const timer = setTimeout(() => {
    models.refresh();
    status.refresh();
    void ignoreRejection(duet.servers.waitForStatus(signal), "the question that needs the servers reports it");
    if (chat.reader) void ignoreRejection(offerInterrupted(), "the first question reports it");
    if (chat.reader) void ignoreRejection(readOwnCommands(), "the command that is typed reads them again");
  }, firstFrameMs);
  return () => clearTimeout(timer);
}

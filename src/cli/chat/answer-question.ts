import type { AskRequest } from "../../app/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import { toResumedRequest } from "../../app/resume-run.ts";
import { listProtectedFiles } from "../../app/tools/protected-files.ts";
import type { Config } from "../../config/config.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { Mode } from "../../core/outcome.ts";
import type { RunInbox } from "../../core/run-inbox.ts";
import type { TakenRun } from "../../core/store/journal.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { createFileGuard } from "../../tools/files/file-guard.ts";
import { createTerminalUser } from "../questions/ask-question.ts";
import { attachFiles, describeAttached } from "../terminal/editor/files/attach-files.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import type { ChatSettings } from "./chat.ts";
import type { ChatInterface } from "./chat-interface.ts";

export interface QuestionOptions {
  duet: Duet;
  config: Config;
  chatInterface: ChatInterface;
  question: string;
  mode: Mode;
  settings: ChatSettings;
  folderInstructions: readonly FolderInstructions[];
  /** Says where the files are that the question may name. */
  folders: Folders;
  conversationId: string | undefined;
  /** Holds the records of a run that goes on; the question is then that of the run. */
  resumed?: TakenRun | undefined;
  /** Is true when the question goes on with the last run, whose calls are not repeated. */
  goesOn?: boolean | undefined;
  /** Takes what is said while the run works. */
  inbox: RunInbox;
  /** Sees each event before it is shown. */
  onEvent(event: AgentEvent): void;
  /** Handles `/exit` in a question about a plan. */
  leave(): void;
  /** Handles `/exit` where a run that continued could ask again. */
  leaveAtOnce(): void;
  signal: AbortSignal;
}

/** Runs one question and shows it. Throws what kept it from beginning. */
export async function answerQuestion(options: QuestionOptions): Promise<void> {
  const { duet, chatInterface, settings, resumed, inbox, onEvent, leave, leaveAtOnce, signal } = options;
  const locale = resumed?.header.locale ?? settings.locale;
  const asked = resumed ? toResumedRequest(resumed) : await toRequest(options, locale);
  const { reader } = chatInterface;
  const leaveRun = (endsRun: boolean): void => (endsRun ? leave() : leaveAtOnce());
  const user = reader && createTerminalUser({ ...reader, locale, leave: leaveRun, showsEvents: false });
  const shown = chatInterface.openRun(locale);
  try {
    const request: AskRequest = {
      recording: { entrance: "terminal" },
      ...asked,
      user,
      inbox,
      isInteractive: true,
      drafts: true,
      signal,
    };
    for await (const event of duet.ask(request)) {
      onEvent(event);
      await shown.handle(event);
    }
  } finally {
    await shown.close();
  }
}

async function toRequest(options: QuestionOptions, locale: Locale): Promise<AskRequest> {
  const { duet, mode, settings, folderInstructions, conversationId, goesOn } = options;
  const asked = await withFiles(options);
  const { limits, search, agent } = settings;
  // An agent has models of its own, which only a person's choice in this chat replaces.
  const isChosen = Object.keys(settings.models).length > 0;
  const models = agent === undefined || isChosen ? await duet.models(settings.models) : undefined;
  return {
    ...asked,
    conversationId,
    goesOn,
    folderInstructions,
    mode,
    agent,
    search: search.on,
    limits,
    models,
    locale,
  };
}

/** Reads the files that the question names. A pipe's text is taken as it is. */
async function withFiles({
  config,
  chatInterface,
  folders,
  question,
  settings: { locale },
  signal,
}: QuestionOptions): Promise<Pick<AskRequest, "question" | "attachments">> {
  if (!chatInterface.reader) return { question };
  const guard = createFileGuard(await listProtectedFiles(config));
  const found = await attachFiles(question, { ...folders, locale, guard, signal });
  for (const problem of found.problems) chatInterface.write(`⚠ ${say(locale, problem)}`);
  for (const file of found.attached) chatInterface.write(say(locale, describeAttached(file)));
  return { question: found.question, attachments: found.attachments };
}

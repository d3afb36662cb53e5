import type { AskRequest } from "../../../app/ask/ask-request.ts";
import { toResumedRequest } from "../../../app/ask/resume-run.ts";
import type { Duet } from "../../../app/duet.ts";
import type { ModelChanges } from "../../../app/models/change-models.ts";
import { createFolderConsent } from "../../../app/questions/folder-consent.ts";
import { listProtectedFiles } from "../../../app/tools/protected-files.ts";
import type { Config } from "../../../config/config.ts";
import type { FolderInstructions } from "../../../core/folder-instructions.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import type { Mode } from "../../../core/run/outcome.ts";
import type { RunInbox } from "../../../core/run/run-inbox.ts";
import type { TakenRun } from "../../../core/store/journal.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createFileGuard } from "../../../tools/files/file-guard.ts";
import { createTerminalUser } from "../../questions/ask-question.ts";
import { attachFiles, describeAttached } from "../../terminal/editor/files/attach-files.ts";
import type { Folders } from "../../terminal/editor/files/complete-files.ts";
import type { ChatSettings } from "../chat.ts";
import type { ChatInterface } from "../interface/chat-interface.ts";

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
  branch: number | undefined;
  /** Replaces the chat's choice of models, for this question. */
  models?: ModelChanges | undefined;
  /** Limits the tools to those that match one of these patterns. */
  tools?: readonly string[] | undefined;
  /** Is false where `@path` in the question is text and no file. */
  attachesFiles?: boolean | undefined;
  /** Holds the records of a run that goes on; the question is then that of the run. */
  resumed?: TakenRun | undefined;
  /** Is true when the question goes on with the last run, whose calls are not repeated. */
  goesOn?: boolean | undefined;
  /** Returns what commands of the user's own have written since the last question, fenced; empty where there is nothing. */
  outputs(locale: Locale): string;
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
  if (asked === undefined) return;
  const { reader } = chatInterface;
  const leaveRun = (endsRun: boolean): void => (endsRun ? leave() : leaveAtOnce());
  const consent = createFolderConsent(options.config, options.folders.cwd);
  const user = reader && createTerminalUser({ ...reader, locale, leave: leaveRun, showsEvents: false, consent });
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

/** Returns undefined for a question that is not asked, because something that it names cannot be attached. */
async function toRequest(options: QuestionOptions, locale: Locale): Promise<AskRequest | undefined> {
  const { duet, mode, settings, folderInstructions, folders, conversationId, branch, goesOn } = options;
  const asked = await withFiles(options, locale);
  if (asked === undefined) return undefined;
  const { limits, search, agent } = settings;
  // An agent has models of its own, which only a person's choice in this chat replaces.
  const changes = { ...settings.models, ...options.models };
  const isChosen = Object.keys(changes).length > 0;
  const models = agent === undefined || isChosen ? await duet.models.open(changes) : undefined;
  return {
    ...asked,
    conversationId,
    branch,
    folder: folders.cwd,
    ...(options.tools && { tools: options.tools }),
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

/**
 * Reads the files that the question names, and adds what own commands have written. Where a file cannot be attached, a line says
 * so and the text goes back to the input: a question without its file is not what was meant. A pipe's text is taken as it is.
 */
async function withFiles(
  { config, chatInterface, folders, question, outputs, attachesFiles, settings: { locale }, signal }: QuestionOptions,
  language: Locale,
): Promise<Pick<AskRequest, "question" | "attachments"> | undefined> {
  if (!chatInterface.reader) return { question };
  const guard = createFileGuard(await listProtectedFiles(config));
  const found =
    attachesFiles === false
      ? { question, attachments: undefined, attached: [], problems: [] }
      : await attachFiles(question, { ...folders, locale, guard, signal });
  if (found.problems.length > 0) {
    chatInterface.write(`✗ ${say(locale, describeUnsent(found.problems))}`);
    chatInterface.putBack(question);
    return undefined;
  }
  for (const file of found.attached) chatInterface.write(say(locale, describeAttached(file)));
  const written = outputs(language);
  return {
    question: written === "" ? found.question : `${found.question}\n\n${written}`,
    attachments: found.attachments,
  };
}

function describeUnsent(problems: readonly Text[]): Text {
  return {
    zh: `${problems.map(({ zh }) => zh).join("；")}。问题没有发送，内容已放回输入行。`,
    en: `${problems.map(({ en }) => en).join("; ")}. The question was not sent; your text is back in the input.`,
  };
}

import type { Duet } from "../../app/open-duet.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { Mode } from "../../core/outcome.ts";
import { type Locale, say } from "../../kit/errors.ts";
import { createApproveCall } from "../questions/approve-call.ts";
import { createConfirmPlan } from "../questions/confirm-plan.ts";
import { createAskElicitation } from "../questions/elicit.ts";
import type { Reader } from "../questions/reader.ts";
import { attachFiles } from "../terminal/editor/files/attach-files.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import type { Complete } from "../terminal/editor/menu.ts";
import type { Line } from "../terminal/text/width.ts";
import type { ChatSettings } from "./expand-run.ts";

export interface QuestionOptions {
  duet: Duet;
  chatInterface: ChatInterface;
  question: string;
  mode: Mode;
  settings: ChatSettings;
  /** Where the files lie that it may name. */
  folders: Folders;
  conversationId: string | undefined;
  /** Sees each event before it is shown. */
  took(event: AgentEvent): void;
  /** `/exit` in a question about a plan. */
  leave(): void;
  /** The same where a run that went on could ask again. */
  leaveAtOnce(): void;
  signal: AbortSignal;
}

/** Runs one question and shows it. Throws what kept it from beginning. */
export async function answerQuestion(options: QuestionOptions): Promise<void> {
  const { duet, chatInterface, mode, settings, conversationId, took, leave, leaveAtOnce, signal } = options;
  const locale = settings.language ?? duet.localeFor(options.question);
  const question = await withFiles(options);
  const models = await duet.models(settings.models);
  const reader = chatInterface.reader && { ...chatInterface.reader, locale };
  const asking = reader && {
    confirmPlan: createConfirmPlan({ ...reader, leave, showsPlan: false }),
    approveCall: createApproveCall({ ...reader, leave: leaveAtOnce }),
    elicit: createAskElicitation({ ...reader, leave: leaveAtOnce }),
  };
  const { limits, search } = settings;
  const shown = chatInterface.openRun(locale);
  try {
    const told = { question, conversationId, mode, search: search.on, limits, models, locale };
    const request = { ...told, ...asking, isInteractive: true, signal };
    for await (const event of duet.ask(request)) {
      took(event);
      await shown.handle(event);
    }
  } finally {
    await shown.close();
  }
}

/** The question with the files that it names; a pipe's text is taken as it is. */
async function withFiles({
  chatInterface,
  folders,
  question,
  settings: { locale },
  signal,
}: QuestionOptions): Promise<string> {
  if (!chatInterface.reader) return question;
  const { question: whole, attached, problems } = await attachFiles(question, { ...folders, locale, signal });
  for (const problem of problems) chatInterface.write(`⚠ ${say(locale, problem)}`);
  for (const { name, characters } of attached)
    chatInterface.write(
      say(locale, { zh: `📎 ${name}（${characters} 个字符）`, en: `📎 ${name} (${characters} characters)` }),
    );
  return whole;
}

/** What a chat is shown on and typed at: the screen of a terminal, or plain lines. */
export interface ChatInterface {
  /** What is submitted next, from a line of what was submitted meanwhile; undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** Writes finished lines; nothing in them can drive the terminal. */
  write(...lines: (string | Line)[]): void;
  /** Writes an exchange of an earlier time. */
  writeTurn(turn: { question: string; answer: string }): Promise<void>;
  /** Somebody who can be asked; undefined where the input is a pipe. */
  readonly reader: Reader | undefined;
  /** Shows a run from its first event to its last. */
  openRun(locale: Locale): ShownRun;
  /**
   * Folds the list of the newest answer's steps to one line, or opens it again. False where it has scrolled off the screen;
   * undefined where there is none, or nothing that was written can be changed.
   */
  toggleSteps(): boolean | undefined;
  /** The prompt, the mode or the models have changed. */
  refresh(): void;
  /** Ends the input, and gives the terminal back as it was. */
  close(): Promise<void>;
}

export interface ShownRun {
  /** Resolves when the next event may be shown. */
  handle(event: AgentEvent): Promise<void>;
  /** Settles when all of it is on the screen. */
  close(): Promise<void>;
}

/** What a face asks of the chat behind it. */
export interface ChatHandler {
  /** The language of what the chat says. */
  readonly locale: Locale;
  /** The mode and the state of the search, in front of what is typed. */
  prompt(): string;
  /** The models and the rest of what is in force, for the line at the bottom. */
  status(isAsking: boolean): string;
  /** Stops the run or command that is going on; false when there is none. */
  stop(): boolean;
  /** Ends the chat once what is going on has ended. */
  leave(): void;
  /** Opens the last run's steps again. */
  expand(): void;
  /** Completes commands and their arguments, and files after `@`. */
  readonly complete: Complete;
}

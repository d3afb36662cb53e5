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
  /** Says where the files are that the question may name. */
  folders: Folders;
  conversationId: string | undefined;
  /** Sees each event before it is shown. */
  took(event: AgentEvent): void;
  /** Handles `/exit` in a question about a plan. */
  leave(): void;
  /** Handles `/exit` where a run that continued could ask again. */
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

/** Adds to the question the files that it names. A pipe's text is taken as it is. */
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

/** Shows a chat and reads what is typed, on the screen of a terminal or in plain lines. */
export interface ChatInterface {
  /** Returns the next submitted text from the queue, or undefined when the input has ended. */
  next(): Promise<string | undefined>;
  /** Writes finished lines; nothing in them can drive the terminal. */
  write(...lines: (string | Line)[]): void;
  /** Writes an exchange of an earlier time. */
  writeTurn(turn: { question: string; answer: string }): Promise<void>;
  /** Represents a person who can be asked. It is undefined when the input is a pipe. */
  readonly reader: Reader | undefined;
  /** Shows a run from its first event to its last. */
  openRun(locale: Locale): ShownRun;
  /**
   * Folds the list of the newest answer's steps to one line, or opens it again. False where it has scrolled off the screen;
   * undefined where there is none, or nothing that was written can be changed.
   */
  toggleSteps(): boolean | undefined;
  /** Redraws after a change of the prompt, the mode or the models. */
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

/** Defines what an interface asks of the chat behind it. */
export interface ChatHandler {
  readonly locale: Locale;
  /** Returns the mode and the state of the search, shown before the input. */
  prompt(): string;
  /** Returns the status line at the bottom: the models and the other settings in force. */
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

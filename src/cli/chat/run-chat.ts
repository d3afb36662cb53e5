import type { SideOutput } from "../follow-config.ts";
import { createLine } from "../terminal/text/line.ts";
import { renderFarewell, renderMode, renderWelcome } from "./chat-lines.ts";
import type { KeptChoices } from "./conversation/open-conversation.ts";
import { type ChatOptions, type ChatParts, createChat } from "./create-chat.ts";
import { isCommandText, runCommand } from "./run-command.ts";
import { isShellText } from "./shell/shell-commands.ts";
import { startBackgroundWork } from "./start-background-work.ts";

export interface RunChatOptions extends ChatOptions {
  /** Holds the words of `duet resume`, which chooses the conversation first. */
  resumes?: string | undefined;
  /** Says what a conversation that is opened at the start does not change. */
  keeps?: KeptChoices | undefined;
  /** Is shown below the welcome. */
  firstLine?: string | undefined;
  /** Receives lines from outside, which must not interrupt the line that is being typed. */
  asides?: SideOutput | undefined;
}

/**
 * Answers what is typed until the input ends or `/exit`, and returns the exit code. A person has seen how each question ended; a
 * program that has piped its questions gets the code of the last one that did not succeed.
 */
export async function runChat(options: RunChatOptions): Promise<number> {
  const { signal } = options;
  const parts = await createChat(options);
  const { chat, chatInterface, tasks } = parts;
  options.asides?.showBy((line) => chatInterface.write(line));
  const cancelBackgroundWork = startBackgroundWork({ ...parts, onCommands: chatInterface.refresh, signal });
  try {
    if (chat.reader) await showBeginning(options, parts);
    // `/exit` may have been typed meanwhile: then nobody is asked anything more.
    if (!tasks.isLeaving) await parts.readInstructions();
    await answerInput(parts, signal);
    if (chat.reader) await showFarewell(parts);
  } finally {
    cancelBackgroundWork();
    await chatInterface.close();
  }
  return chat.reader ? 0 : parts.exitCode;
}

/** Shows the welcome, and the conversation with which the chat begins. */
async function showBeginning(options: RunChatOptions, { chat, conversation, tasks }: ChatParts): Promise<void> {
  const { conversationId, resumes, keeps, firstLine } = options;
  const { settings, write } = chat;
  // The conversation may have another mode, which is known once it is read.
  const knowsMode = keeps?.mode === true || (conversationId ?? resumes) === undefined;
  write(renderWelcome(settings, knowsMode));
  if (firstLine !== undefined) write(createLine(firstLine, "dim"));
  if (conversationId !== undefined) {
    const isFound = await tasks.run((stop) => conversation.enterChosen(conversationId, keeps, stop));
    if (!isFound && !knowsMode) write(createLine(renderMode(settings), "dim"));
  }
  if (resumes !== undefined) await tasks.run((stop) => runCommand(`/resume ${resumes}`, chat, stop));
}

/** Runs the commands and asks the questions that are typed. */
async function answerInput(parts: ChatParts, signal: AbortSignal): Promise<void> {
  const { chat, chatInterface, shellCommands, tasks } = parts;
  while (!tasks.isLeaving && !signal.aborted) {
    const text = await chatInterface.next();
    if (text === undefined) break;
    const line = text.trim();
    if (isCommandText(line)) {
      if ((await tasks.run((stop) => runCommand(line, chat, stop))) === "exit") break;
    } else if (isShellText(line, chat)) await tasks.run((stop) => shellCommands.run(line.slice(1).trim(), stop));
    else if (line !== "") await chat.ask(text, chat.settings.mode);
  }
}

/** Says how to return to the conversation, where something was asked and it is kept. */
async function showFarewell({
  chat: { duet, settings, write },
  conversation: { id, runId },
}: ChatParts): Promise<void> {
  if (runId === undefined || id === undefined || !(await duet.storeHealth.canKeepConversations())) return;
  write(renderFarewell(settings, id));
}

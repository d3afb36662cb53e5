import type { Folders } from "../../terminal/editor/files/complete-files.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat, ChatSettings } from "../chat.ts";
import { renderPrompt } from "../chat-lines.ts";
import { createComplete } from "../complete-commands.ts";
import type { Offers } from "../offers.ts";
import type { RunMessages } from "../question/run-messages.ts";
import type { StartWatch } from "../question/start-watch.ts";
import { canRunAtOnce, isCommandText, runCommand } from "../run-command.ts";
import { isShellText } from "../shell/shell-commands.ts";
import type { StatusLine } from "../status/status-line.ts";
import { expandRun } from "../steps/expand-step.ts";
import type { Tasks } from "../tasks.ts";
import type { ChatHandler } from "./chat-interface.ts";

export interface ChatHandlerOptions {
  /** Returns the chat, which is there once its interface is open. */
  chat(): Chat;
  settings: ChatSettings;
  folders: Folders;
  messages: RunMessages;
  offers: Offers;
  start: StartWatch;
  status: Pick<StatusLine, "render">;
  tasks: Tasks;
  signal: AbortSignal;
}

/** Creates what the interface asks of a chat, before there is one. */
export function createChatHandler(options: ChatHandlerOptions): ChatHandler {
  const { chat, settings, folders, messages, offers, start, status, tasks, signal } = options;

  /** Runs a command beside the run that goes on. Returns false where it has to wait for the end. */
  function runAtOnce(line: string): boolean {
    if (!messages.isOpen || !canRunAtOnce(line)) return false;
    chat().write(createLine(`${renderPrompt(settings)}${line}`, "dim"));
    void runCommand(line, chat(), signal).then((left) => {
      if (left === "exit") tasks.leaveAtOnce();
    });
    return true;
  }

  return {
    get locale() {
      return settings.locale;
    },
    prompt: () => renderPrompt(settings),
    status: (isAsking, columns) => status.render({ canStop: tasks.isRunning && !isAsking, columns }),
    stop: tasks.stop,
    leave: tasks.leave,
    expand: () => expandRun(chat()),
    get starting() {
      return start.servers;
    },
    message(text) {
      if (isCommandText(text)) return runAtOnce(text.trim());
      return !isShellText(text, chat()) && messages.send(text.trim());
    },
    get messages() {
      return messages.waiting;
    },
    takeMessages: messages.takeAll,
    get offered() {
      return offers.command;
    },
    complete: createComplete(chat, folders),
  };
}

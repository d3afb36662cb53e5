import type { AgentEvent } from "../../../core/run/events.ts";
import type { Mode, Outcome } from "../../../core/run/outcome.ts";
import type { Folders } from "../../terminal/editor/files/complete-files.ts";
import type { Chat } from "../chat.ts";
import type { CurrentConversation } from "../conversation/current-conversation.ts";
import type { ChatInterface } from "../interface/chat-interface.ts";
import type { Offers } from "../offers.ts";
import type { ShellCommands } from "../shell/shell-commands.ts";
import type { StatusLine } from "../status/status-line.ts";
import type { Tasks } from "../tasks.ts";
import { answerQuestion, type QuestionOptions } from "./answer-question.ts";
import type { RunMessages } from "./run-messages.ts";
import type { StartWatch } from "./start-watch.ts";

/** Asks a question in a mode, as if it had been typed. */
export type Ask = (question: string, mode: Mode, how?: AskChoices) => Promise<void>;

type AskChoices = Pick<QuestionOptions, "resumed" | "goesOn" | "models" | "tools" | "attachesFiles">;

export interface AskOptions {
  chat: Pick<Chat, "duet" | "config" | "settings" | "steps" | "bill" | "folderInstructions">;
  chatInterface: ChatInterface;
  conversation: CurrentConversation;
  folders: Folders;
  messages: RunMessages;
  offers: Offers;
  shellCommands: ShellCommands;
  start: StartWatch;
  status: Pick<StatusLine, "handle" | "refresh">;
  tasks: Tasks;
  /** Takes the outcome of each question, which is undefined where it did not begin. `goesOn` is true where it went on with the one before. */
  onOutcome(outcome: Outcome | undefined, goesOn: boolean): void;
}

/** Returns what asks a question, and has the parts of the chat follow its run. */
export function createAsk(options: AskOptions): Ask {
  const { chat, chatInterface, conversation, folders, messages, offers, shellCommands, start, status, tasks } = options;
  const { duet, config, settings, steps, bill } = chat;

  return async (question, mode, how = {}) => {
    offers.drop();
    let outcome: Outcome | undefined;

    function followRun(event: AgentEvent): void {
      steps.handle(event);
      if (event.type === "phase-start") start.end();
      status.handle(event);
      if (event.type === "run-start") {
        conversation.handleRunStart(event);
        if (how.resumed === undefined) shellCommands.clear();
      }
      if (event.type !== "run-end") return;
      // What is seen to be over cannot be stopped any more: Ctrl-C is for the input again.
      tasks.finish();
      outcome = event.outcome;
      bill.add(outcome);
    }

    const inbox = messages.open();
    start.begin();
    await tasks.run((stop) =>
      answerQuestion({
        ...how,
        ...{ duet, config, chatInterface, question, mode, settings, folders, inbox },
        folderInstructions: chat.folderInstructions,
        conversationId: conversation.id,
        branch: conversation.branch,
        outputs: shellCommands.render,
        signal: stop,
        leave: tasks.leave,
        leaveAtOnce: tasks.leaveAtOnce,
        onEvent: followRun,
      }),
    );
    start.end();
    options.onOutcome(outcome, how.goesOn === true);
    const unread = messages.close();
    status.refresh();
    chatInterface.putFirst(unread);
    if (outcome?.limit && !tasks.isLeaving) offers.make({ command: "/continue", question, mode });
  };
}

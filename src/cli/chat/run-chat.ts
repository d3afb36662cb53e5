import type { Duet } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import type { Mode } from "../../core/outcome.ts";
import type { SideOutput } from "../follow-config.ts";
import type { SearchSwitch } from "../search-switch.ts";
import type { Folders } from "../terminal/editor/files/resolve-path.ts";
import { answerQuestion } from "./answer-question.ts";
import type { ChatHandler, ChatInterface } from "./chat-interface.ts";
import type { Chat, ChatSettings } from "./chat-state.ts";
import { renderFarewell, renderPrompt, renderStatus, renderWelcome } from "./chat-texts.ts";
import { createComplete } from "./complete-input.ts";
import { expandRun } from "./expand-run.ts";
import { renderFailure } from "./failure-line.ts";
import { openConversation, showEnd } from "./open-conversation.ts";
import { runCommand } from "./run-command.ts";
import { createSessionBill } from "./session-bill.ts";
import { createModelNames } from "./settings/current-models.ts";
import type { StepLog } from "./steps/step.ts";
import { createStepLog } from "./steps/step-log.ts";

export interface ChatOptions {
  duet: Duet;
  config: Config;
  /** The conversation to go on with; a new one when absent. */
  conversationId?: string | undefined;
  mode: Mode;
  search: SearchSwitch;
  /** Where paths begin. */
  folders: Folders;
  openFace(handler: ChatHandler, steps: StepLog): Promise<ChatInterface>;
  /** Lines from outside, which must not stand in the one that is being typed. */
  asides?: SideOutput | undefined;
  signal: AbortSignal;
}

/** Until the first prompt is on the screen, in milliseconds. */
const firstFrameMs = 20;

/** Answers what is typed until the input ends or `/exit`; gives the exit code. */
export async function runChat(options: ChatOptions): Promise<number> {
  const { duet, config, folders, signal } = options;
  const steps = createStepLog();
  const bill = createSessionBill();
  const settings = createSettings(options);
  let { conversationId } = options;
  let runId: string | undefined;
  let going: AbortController | undefined;
  let isLeaving = false;

  const models = createModelNames(duet, settings, () => chatInterface.refresh());
  const handler: ChatHandler = {
    get locale() {
      return settings.locale;
    },
    prompt: () => renderPrompt(settings),
    status: (isAsking) => renderStatus(settings, { models: models.line(), canStop: going !== undefined && !isAsking }),
    stop() {
      if (going === undefined) return false;
      going.abort();
      return true;
    },
    leave() {
      isLeaving = true;
    },
    expand: () => expandRun(chat),
    complete: createComplete(() => chat, folders),
  };
  const chatInterface = await options.openFace(handler, steps);

  /** Does something that can be stopped; what it throws is a line, and the chat goes on. */
  async function work<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const mine = new AbortController();
    const outer = going;
    going = mine;
    const stop = AbortSignal.any([signal, mine.signal]);
    try {
      return await task(stop);
    } catch (thrown) {
      chatInterface.write(renderFailure(thrown, settings.locale, stop));
      return undefined;
    } finally {
      going = outer;
      // What the task last drew may still say that it can be stopped.
      chatInterface.refresh();
    }
  }

  async function ask(question: string, mode: Mode): Promise<void> {
    await work((stop) =>
      answerQuestion({
        duet,
        chatInterface,
        question,
        mode,
        settings,
        folders,
        conversationId,
        signal: stop,
        leave: handler.leave,
        leaveAtOnce() {
          handler.leave();
          handler.stop();
        },
        took(event) {
          steps.handle(event);
          if (event.type === "run-start") ({ conversationId, runId } = event);
          if (event.type === "run-end") bill.add(event.outcome);
        },
      }),
    );
  }

  const chat: Chat = {
    duet,
    config,
    settings,
    steps,
    bill,
    get conversationId() {
      return conversationId;
    },
    get runId() {
      return runId;
    },
    reader: chatInterface.reader,
    write: chatInterface.write,
    toggleSteps: chatInterface.toggleSteps,
    startAnew() {
      if (conversationId !== undefined) duet.forget(conversationId);
      conversationId = undefined;
    },
    async goOn(id) {
      await openConversation(chat, chatInterface, id);
      conversationId = id;
      runId = undefined;
    },
    ask,
    refresh() {
      models.refresh();
      chatInterface.refresh();
    },
  };

  options.asides?.showBy((line) => chatInterface.write(line));
  // The prompt stands first: what it does not show is begun behind its first frame.
  const behind = setTimeout(() => {
    models.refresh();
    duet.servers(signal).catch(() => {});
  }, firstFrameMs);
  try {
    if (chatInterface.reader) {
      chatInterface.write(renderWelcome(settings));
      if (conversationId !== undefined) await work(() => showEnd(chat, chatInterface, conversationId ?? ""));
    }
    for (let text = await chatInterface.next(); text !== undefined; text = await chatInterface.next()) {
      const line = text.trim();
      if (line.startsWith("/")) {
        if ((await work((stop) => runCommand(line, chat, stop))) === "exit") break;
      } else if (line !== "") await ask(text, settings.mode);
      if (isLeaving || signal.aborted) break;
    }
    const isKept = chatInterface.reader !== undefined && runId !== undefined && config.conversations.store === "disk";
    if (isKept && conversationId !== undefined) chatInterface.write(renderFarewell(settings, conversationId));
  } finally {
    clearTimeout(behind);
    await chatInterface.close();
  }
  return 0;
}

function createSettings({ duet, mode, search }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, search, models: {}, limits: {} };
}

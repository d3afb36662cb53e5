import type { Duet } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import type { Mode } from "../../core/outcome.ts";
import type { Asides } from "../follow-config.ts";
import type { SearchSwitch } from "../search-switch.ts";
import type { Folders } from "../terminal/editor/files/resolve-path.ts";
import { answerQuestion } from "./answer-question.ts";
import type { ChatFace, ChatHandler } from "./chat-interface.ts";
import type { Chat, ChatSettings } from "./chat-state.ts";
import { farewellOf, promptOf, statusOf, welcomeOf } from "./chat-texts.ts";
import { createComplete } from "./complete-input.ts";
import { expandRun } from "./expand-run.ts";
import { failureLine } from "./failure-line.ts";
import { openConversation, showEnd } from "./open-conversation.ts";
import { runCommand } from "./run-command.ts";
import { createSessionBill } from "./session-bill.ts";
import { createModelNames } from "./settings/current-models.ts";
import type { StepBook } from "./steps/step.ts";
import { createStepBook } from "./steps/step-log.ts";

export interface ChatOptions {
  duet: Duet;
  config: Config;
  /** The conversation to go on with; a new one when absent. */
  conversationId?: string | undefined;
  mode: Mode;
  search: SearchSwitch;
  /** Where paths begin. */
  folders: Folders;
  openFace(handler: ChatHandler, steps: StepBook): Promise<ChatFace>;
  /** Lines from outside, which must not stand in the one that is being typed. */
  asides?: Asides | undefined;
  signal: AbortSignal;
}

/** Until the first prompt is on the screen, in milliseconds. */
const firstFrameMs = 20;

/** Answers what is typed until the input ends or `/exit`; gives the exit code. */
export async function runChat(options: ChatOptions): Promise<number> {
  const { duet, config, folders, signal } = options;
  const steps = createStepBook();
  const bill = createSessionBill();
  const settings = createSettings(options);
  let { conversationId } = options;
  let runId: string | undefined;
  let going: AbortController | undefined;
  let isLeaving = false;

  const models = createModelNames(duet, settings, () => face.refresh());
  const handler: ChatHandler = {
    get locale() {
      return settings.locale;
    },
    prompt: () => promptOf(settings),
    status: (isAsking) => statusOf(settings, { models: models.line(), canStop: going !== undefined && !isAsking }),
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
  const face = await options.openFace(handler, steps);

  /** Does something that can be stopped; what it throws is a line, and the chat goes on. */
  async function work<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const mine = new AbortController();
    const outer = going;
    going = mine;
    const stop = AbortSignal.any([signal, mine.signal]);
    try {
      return await task(stop);
    } catch (thrown) {
      face.write(failureLine(thrown, settings.locale, stop));
      return undefined;
    } finally {
      going = outer;
      // What the task last drew may still say that it can be stopped.
      face.refresh();
    }
  }

  async function ask(question: string, mode: Mode): Promise<void> {
    await work((stop) =>
      answerQuestion({
        duet,
        face,
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
          steps.take(event);
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
    reader: face.reader,
    write: face.write,
    toggleSteps: face.toggleSteps,
    startAnew() {
      if (conversationId !== undefined) duet.forget(conversationId);
      conversationId = undefined;
    },
    async goOn(id) {
      await openConversation(chat, face, id);
      conversationId = id;
      runId = undefined;
    },
    ask,
    refresh() {
      models.refresh();
      face.refresh();
    },
  };

  options.asides?.showBy((line) => face.write(line));
  // The prompt stands first: what it does not show is begun behind its first frame.
  const behind = setTimeout(() => {
    models.refresh();
    duet.servers(signal).catch(() => {});
  }, firstFrameMs);
  try {
    if (face.reader) {
      face.write(welcomeOf(settings));
      if (conversationId !== undefined) await work(() => showEnd(chat, face, conversationId ?? ""));
    }
    for (let text = await face.next(); text !== undefined; text = await face.next()) {
      const line = text.trim();
      if (line.startsWith("/")) {
        if ((await work((stop) => runCommand(line, chat, stop))) === "exit") break;
      } else if (line !== "") await ask(text, settings.mode);
      if (isLeaving || signal.aborted) break;
    }
    const isKept = face.reader !== undefined && runId !== undefined && config.conversations.store === "disk";
    if (isKept && conversationId !== undefined) face.write(farewellOf(settings, conversationId));
  } finally {
    clearTimeout(behind);
    await face.close();
  }
  return 0;
}

function createSettings({ duet, mode, search }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, search, models: {}, limits: {} };
}

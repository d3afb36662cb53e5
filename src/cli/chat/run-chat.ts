import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { Mode } from "../../core/outcome.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import type { TakenRun } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { describeSearchChoice, modeNames } from "../../render/mode-names.ts";
import type { SideOutput } from "../follow-config.ts";
import type { Complete, Completion } from "../terminal/editor/editor.ts";
import { createCompleteFiles, type Folders } from "../terminal/editor/files/complete-files.ts";
import { createLine, type Line } from "../terminal/text/line.ts";
import { answerQuestion } from "./answer-question.ts";
import type { Chat, ChatSettings } from "./chat.ts";
import type { ChatHandler, ChatInterface } from "./chat-interface.ts";
import { chatCommands } from "./command-list.ts";
import { findCommand } from "./commands/chat-command.ts";
import { findInterruptedRun, renderInterruptedRun, takeInterruptedRun } from "./interrupted-run.ts";
import { renderFailure, runCommand } from "./run-command.ts";
import { renderSwitch, type SearchSwitch } from "./search-switch.ts";
import { createSessionBill } from "./session-bill.ts";
import { createModelNames } from "./settings/switch-models.ts";
import { expandRun } from "./steps/expand-step.ts";
import type { StepLog } from "./steps/step.ts";
import { createStepLog } from "./steps/step-log.ts";

export interface ChatOptions {
  duet: Duet;
  config: Config;
  /** Is the conversation to continue. A new one begins when it is absent. */
  conversationId?: string | undefined;
  mode: Mode;
  /** Names the agent that answers. It is the main one when absent. */
  agent?: string | undefined;
  search: SearchSwitch;
  /** Is shown below the welcome. */
  firstLine?: string | undefined;
  /** Says what paths are relative to. */
  folders: Folders;
  openInterface(handler: ChatHandler, steps: StepLog): Promise<ChatInterface>;
  /** Receives lines from outside, which must not interrupt the line that is being typed. */
  asides?: SideOutput | undefined;
  signal: AbortSignal;
}

/** Delays background work until the first prompt is on the screen, in milliseconds. */
const firstFrameMs = 20;

/** Answers what is typed until the input ends or `/exit`; returns the exit code. */
export async function runChat(options: ChatOptions): Promise<number> {
  const { duet, config, folders, signal } = options;
  const steps = createStepLog();
  const bill = createSessionBill();
  const settings = createSettings(options);
  let { conversationId } = options;
  let runId: string | undefined;
  let folderInstructions: readonly FolderInstructions[] = [];
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
  const chatInterface = await options.openInterface(handler, steps);

  /** Does something that can be stopped; what it throws is a line, and the chat goes on. */
  async function runStoppable<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
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

  async function ask(question: string, mode: Mode, resumed?: TakenRun): Promise<void> {
    await runStoppable((stop) =>
      answerQuestion({
        resumed,
        duet,
        config,
        chatInterface,
        question,
        mode,
        settings,
        folderInstructions,
        folders,
        conversationId,
        signal: stop,
        leave: handler.leave,
        leaveAtOnce() {
          handler.leave();
          handler.stop();
        },
        onEvent(event) {
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
    get folderInstructions() {
      return folderInstructions;
    },
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
    async resume(id) {
      await openConversation(chat, chatInterface, id);
      conversationId = id;
      runId = undefined;
    },
    async continueRun() {
      const taken = await takeInterruptedRun(duet);
      if (taken) await ask(taken.header.question, taken.header.mode, taken);
      return taken !== undefined;
    },
    ask,
    refresh() {
      models.refresh();
      chatInterface.refresh();
    },
  };

  async function offerInterrupted(): Promise<void> {
    const run = duet.recordsRuns ? await findInterruptedRun(duet) : undefined;
    if (run && !isLeaving) chatInterface.write(createLine(renderInterruptedRun(run, settings.locale), "dim"));
  }

  options.asides?.showBy((line) => chatInterface.write(line));
  // The prompt stands first: what it does not show is begun behind its first frame.
  const behind = setTimeout(() => {
    models.refresh();
    void ignoreRejection(duet.servers(signal), "the question that needs the servers reports it");
    if (chatInterface.reader) void ignoreRejection(offerInterrupted(), "the first question reports it");
  }, firstFrameMs);
  try {
    if (chatInterface.reader) {
      chatInterface.write(renderWelcome(settings));
      if (options.firstLine !== undefined) chatInterface.write(createLine(options.firstLine, "dim"));
      if (conversationId !== undefined) await runStoppable(() => showEnd(chat, chatInterface, conversationId ?? ""));
    }
    const readInstructions = (stop: AbortSignal) => readFolderInstructions(options, chatInterface, stop);
    folderInstructions = (await runStoppable(readInstructions)) ?? [];
    for (let text = await chatInterface.next(); text !== undefined; text = await chatInterface.next()) {
      const line = text.trim();
      if (line.startsWith("/")) {
        if ((await runStoppable((stop) => runCommand(line, chat, stop))) === "exit") break;
      } else if (line !== "") await ask(text, settings.mode);
      if (isLeaving || signal.aborted) break;
    }
    if (
      chatInterface.reader &&
      runId !== undefined &&
      conversationId !== undefined &&
      (await duet.canKeepConversations())
    )
      chatInterface.write(renderFarewell(settings, conversationId));
  } finally {
    clearTimeout(behind);
    await chatInterface.close();
  }
  return 0;
}

/** Reads the instructions of the working folder; a person is asked about those that are new. */
async function readFolderInstructions(
  { config, duet: { locale } }: ChatOptions,
  { reader, write }: ChatInterface,
  signal: AbortSignal,
): Promise<FolderInstructions[]> {
  const { askForInstructions, readTrustedInstructions } = await import("../instructions/folder-instructions.ts");
  if (reader) return askForInstructions({ config, locale, write }, reader, signal);
  return readTrustedInstructions({ config, locale, write() {} });
}

function createSettings({ duet, mode, agent, search }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, agent, search, models: {}, limits: {} };
}

/** Completes commands at the beginning of the text, and files after `@`. */
export function createComplete(chat: () => Chat, folders: Folders): Complete {
  const completeFiles = createCompleteFiles(folders);
  return async (textBefore) => {
    const command = textBefore.startsWith("/") ? await createCompleteCommand(chat())(textBefore) : undefined;
    return command ?? completeFiles(textBefore);
  };
}

/** Returns the mode and the state of the search, shown before the input. */
export function renderPrompt({ locale, mode, agent, search }: ChatSettings): string {
  const searches = mode === "chat" && search.on ? say(locale, { zh: " · 搜索", en: " · search" }) : "";
  const chosen = agent === undefined ? "" : ` · ${agent}`;
  return `${say(locale, modeNames[mode])}${chosen}${searches} > `;
}

/** Renders the line at the bottom. `models` is empty while they are not known. */
export function renderStatus(
  settings: ChatSettings,
  { models, canStop }: { models: string; canStop: boolean },
): string {
  const { locale, mode } = settings;
  const stop = canStop && say(locale, { zh: "Esc 停止", en: "Esc stops" });
  const search = mode === "chat" ? renderSwitch(settings) : describeSearchChoice(mode, locale);
  return [stop, models, search, "/help"].filter(Boolean).join(" · ");
}

/** Renders the welcome. Where there is no line at the bottom, it is the only place that shows the state of the search. */
export function renderWelcome(settings: ChatSettings): string {
  const { locale, mode } = settings;
  const search = mode === "chat" ? ` · ${renderSwitch(settings)}` : "";
  const place = `Duet · ${say(locale, modeNames[mode])}${search}`;
  return say(locale, {
    zh: `${place} · /help 查看命令，/mode 切换模式，/exit 退出`,
    en: `${place} · /help lists the commands, /mode switches the mode, /exit quits`,
  });
}

/** Renders how to return to the conversation that was left. */
export function renderFarewell({ locale }: ChatSettings, conversationId: string): Line {
  const command = `duet --conversation ${conversationId}`;
  return createLine(say(locale, { zh: `继续这次对话：${command}`, en: `To continue it: ${command}` }), "dim");
}

/** Shows how a conversation ended. Throws a `config` error when there is none of that id. */
export async function openConversation(
  chat: Pick<Chat, "duet" | "settings">,
  chatInterface: ChatInterface,
  id: string,
): Promise<void> {
  if (await showEnd(chat, chatInterface, id)) return;
  const shown = toShortLine(id, 80);
  throw new DuetError({
    code: "config",
    text: { zh: `没有编号为 ${shown} 的对话`, en: `there is no conversation ${shown}` },
    hint: { zh: "用 /conversations 查看已有的对话。", en: "/conversations lists the saved ones." },
  });
}

/** Shows the title and the last turn of a conversation. Returns false when there is none. */
async function showEnd(
  { duet, settings }: Pick<Chat, "duet" | "settings">,
  chatInterface: ChatInterface,
  id: string,
): Promise<boolean> {
  const known = await (await duet.store()).load(id);
  if (known === undefined) return false;
  const title = toShortLine(toConversationTitle(known.turns[0]?.question ?? "") || id, 100);
  const { length } = known.turns;
  chatInterface.write(
    say(settings.locale, {
      zh: `继续对话：${title}（${length} 轮）`,
      en: `Continuing: ${title} (${length === 1 ? "1 turn" : `${length} turns`})`,
    }),
  );
  const last = known.turns.at(-1);
  if (last) await chatInterface.writeTurn(last);
  return true;
}

type Completions = Awaited<ReturnType<Complete>>;

/** Completes a command's name at the start of the text, and behind it what the command can be given. */
export function createCompleteCommand(chat: Chat): Complete {
  return async (textBefore) => {
    if (!textBefore.startsWith("/") || textBefore.includes("\n")) return undefined;
    const [, name = "", space = "", argument = ""] = /^(\S*)(\s*)(.*)$/.exec(textBefore) ?? [];
    if (space === "") return sortCompletions(0, name, listCommandNames(chat));
    const completions = await completeArgument(chat, name, argument).catch(() => []);
    return sortCompletions(textBefore.length - argument.length, argument, completions);
  };
}

function listCommandNames({ settings: { locale } }: Chat): Completion[] {
  return chatCommands.map(({ name, help }) => ({ text: name, help: say(locale, help) }));
}

async function completeArgument(chat: Chat, name: string, argument: string): Promise<readonly Completion[]> {
  return (await findCommand(name, chatCommands)?.complete?.(chat, argument)) ?? [];
}

/** Puts completions that begin with the typed text before those that contain it. A text that is already complete gets none. */
function sortCompletions(from: number, typed: string, completions: readonly Completion[]): Completions {
  const wanted = typed.toLowerCase();
  if (completions.some(({ text }) => text.toLowerCase() === wanted)) return undefined;
  const holding = completions.filter(({ text }) => text.toLowerCase().includes(wanted));
  const isBeginning = ({ text }: Completion): boolean => text.toLowerCase().startsWith(wanted);
  const ordered = [...holding.filter(isBeginning), ...holding.filter((completion) => !isBeginning(completion))];
  return ordered.length === 0 ? undefined : { from, completions: ordered };
}

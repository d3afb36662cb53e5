import type { Duet } from "../../app/duet.ts";
import { listKnownSecrets } from "../../app/secrets/known-secrets.ts";
import type { Config } from "../../config/config.ts";
import { getHomeDirectory } from "../../config/sources/find-file.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { Mode } from "../../core/outcome.ts";
import { statusParts } from "../../core/status-parts.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createRedactor } from "../../kit/text/redact.ts";
import type { SideOutput } from "../follow-config.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import { createLine } from "../terminal/text/line.ts";
import type { Chat, ChatSettings } from "./chat.ts";
import type { ChatHandler, ChatInterface } from "./chat-interface.ts";
import { renderFarewell, renderMode, renderPrompt, renderWelcome } from "./chat-lines.ts";
import { chatCommands } from "./command-list.ts";
import { listNames } from "./commands/chat-command.ts";
import { createComplete } from "./complete-commands.ts";
import { createCurrentConversation } from "./conversation/current-conversation.ts";
import type { KeptChoices } from "./conversation/open-conversation.ts";
import { createOffers, type Offer, showOffer } from "./offers.ts";
import { createOwnCommands } from "./own-commands/own-commands.ts";
import { answerQuestion, type QuestionOptions } from "./question/answer-question.ts";
import { continueRun, findInterruptedRun, renderInterruptedRun } from "./question/continue-run.ts";
import { createRunMessages } from "./question/run-messages.ts";
import { createStartWatch } from "./question/start-watch.ts";
import { readInstructions } from "./read-instructions.ts";
import { canRunAtOnce, isCommandText, renderFailure, runCommand } from "./run-command.ts";
import type { SearchSwitch } from "./search-switch.ts";
import { createSessionBill } from "./session-bill.ts";
import { createModelNames } from "./settings/switch-models.ts";
import { createShellCommands } from "./shell/shell-commands.ts";
import { createStatusLine } from "./status/status-line.ts";
import { expandRun } from "./steps/expand-step.ts";
import type { StepLog } from "./steps/step.ts";
import { createStepLog } from "./steps/step-log.ts";
import { createTasks } from "./tasks.ts";

export interface ChatOptions {
  duet: Duet;
  config: Config;
  /** Is the conversation to continue. A new one begins when it is absent. */
  conversationId?: string | undefined;
  /** Holds the words of `duet resume`, which chooses the conversation first. */
  resumes?: string | undefined;
  mode: Mode;
  /** Names the agent that answers. It is the main one when absent. */
  agent?: string | undefined;
  /** Says what a conversation that is opened at the start does not change. */
  keeps?: KeptChoices | undefined;
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
  let folderInstructions: readonly FolderInstructions[] = [];
  let isLeaving = false;

  const tasks = createTasks({
    signal,
    onFailure: (thrown, stop) => chatInterface.write(renderFailure(thrown, settings.locale, stop)),
    // What the task last drew may still say that it can be stopped.
    onEnd: () => chatInterface.refresh(),
  });
  const offers = createOffers((command) => showOffer(chatInterface, command, settings.locale));
  const messages = createRunMessages({ locale: () => settings.locale, write: (line) => chatInterface.write(line) });
  const start = createStartWatch(duet, () => chatInterface.refresh());
  const models = createModelNames(duet, settings, () => chatInterface.refresh());
  const status = createStatusLine({
    ...{ duet, bill, folder: folders.cwd, home: getHomeDirectory(config.environment) },
    parts: config.terminal.statusLine ?? statusParts,
    current: () => ({ settings, models: models.line() }),
    next() {
      const { id: conversationId, branch } = conversation;
      if (conversationId === undefined) return undefined;
      const { mode, locale } = settings;
      return { conversationId, branch, mode, folderInstructions, locale, signal };
    },
    onChange: () => chatInterface.refresh(),
  });
  const ownCommands = createOwnCommands({ chat: () => chat, taken: chatCommands.flatMap(listNames) });

  async function readOwnCommands(): Promise<void> {
    await ownCommands.reload(signal);
    if (isLeaving || signal.aborted) return;
    chatInterface.write(...ownCommands.takeProblems(settings.locale).map((line) => createLine(line, "dim")));
    chatInterface.refresh();
  }

  const handler: ChatHandler = {
    get locale() {
      return settings.locale;
    },
    prompt: () => renderPrompt(settings),
    status: (isAsking, columns) => status.render({ canStop: tasks.isRunning && !isAsking, columns }),
    stop: tasks.stop,
    leave() {
      isLeaving = true;
    },
    expand: () => expandRun(chat),
    get starting() {
      return start.servers;
    },
    message(text) {
      if (isCommandText(text)) return runAtOnce(text.trim());
      return !isShellText(text) && messages.send(text.trim());
    },
    get messages() {
      return messages.waiting;
    },
    takeMessages: messages.takeAll,
    get offered() {
      return offers.command;
    },
    complete: createComplete(() => chat, folders),
  };
  const chatInterface = await options.openInterface(handler, steps);
  const shellCommands = createShellCommands({
    environment: config.environment,
    redact: createRedactor(listKnownSecrets(config)).redact,
    locale: () => settings.locale,
    write: chatInterface.write,
  });

  /** Only a person at the keyboard runs commands; what a pipe holds is a question. */
  function isShellText(text: string): boolean {
    return chatInterface.reader !== undefined && text.trim().startsWith("!");
  }

  /** Runs a command beside the run that goes on. Returns false where it has to wait for the end. */
  function runAtOnce(line: string): boolean {
    if (!messages.isOpen || !canRunAtOnce(line)) return false;
    chatInterface.write(createLine(`${handler.prompt()}${line}`, "dim"));
    void runCommand(line, chat, signal).then((left) => {
      if (left !== "exit") return;
      handler.leave();
      handler.stop();
    });
    return true;
  }

  const conversation = createCurrentConversation({
    ...{ id: options.conversationId, duet, config, settings, steps, chatInterface, offers, status },
    refresh: () => chat.refresh(),
  });

  async function ask(
    question: string,
    mode: Mode,
    more: Pick<QuestionOptions, "resumed" | "goesOn" | "models" | "tools" | "attachesFiles"> = {},
  ): Promise<void> {
    offers.drop();
    let limited: Offer | undefined;
    const inbox = messages.open();
    start.begin();
    await tasks.run((stop) =>
      answerQuestion({
        ...more,
        inbox,
        duet,
        config,
        chatInterface,
        question,
        mode,
        settings,
        folderInstructions,
        folders,
        conversationId: conversation.id,
        branch: conversation.branch,
        outputs: shellCommands.render,
        signal: stop,
        leave: handler.leave,
        leaveAtOnce() {
          handler.leave();
          handler.stop();
        },
        onEvent(event) {
          steps.handle(event);
          if (event.type === "phase-start") start.end();
          status.handle(event);
          if (event.type === "run-start") {
            conversation.handleRunStart(event);
            if (more.resumed === undefined) shellCommands.clear();
          }
          if (event.type !== "run-end") return;
          // What is seen to be over cannot be stopped any more: Ctrl-C is for the input again.
          tasks.finish();
          bill.add(event.outcome);
          if (event.outcome.limit) limited = { command: "/continue", question, mode };
        },
      }),
    );
    start.end();
    const unread = messages.close();
    status.refresh();
    chatInterface.putFirst(unread);
    if (limited && !isLeaving) offers.make(limited);
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
    conversation,
    folder: folders.cwd,
    status,
    ownCommands,
    reader: chatInterface.reader,
    write: chatInterface.write,
    toggleSteps: chatInterface.toggleSteps,
    edit: chatInterface.edit,
    prefill: chatInterface.prefill,
    offerNext: offers.offerNext,
    continueRun: (stop) => continueRun({ chat, offer: offers.offer, ask }, stop),
    ask,
    refresh() {
      models.refresh();
      status.refresh();
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
    status.refresh();
    void ignoreRejection(duet.servers(signal), "the question that needs the servers reports it");
    if (chatInterface.reader) void ignoreRejection(offerInterrupted(), "the first question reports it");
    if (chatInterface.reader) void ignoreRejection(readOwnCommands(), "the command that is typed reads them again");
  }, firstFrameMs);
  try {
    if (chatInterface.reader) {
      const opened = options.conversationId;
      // The conversation may have another mode, which is known once it is read.
      const knowsMode = options.keeps?.mode === true || (opened ?? options.resumes) === undefined;
      chatInterface.write(renderWelcome(settings, knowsMode));
      if (options.firstLine !== undefined) chatInterface.write(createLine(options.firstLine, "dim"));
      if (opened !== undefined) {
        const isFound = await tasks.run((stop) => conversation.enterChosen(opened, options.keeps, stop));
        if (!isFound && !knowsMode) chatInterface.write(createLine(renderMode(settings), "dim"));
      }
      if (options.resumes !== undefined)
        await tasks.run((stop) => runCommand(`/resume ${options.resumes}`, chat, stop));
    }
    // `/exit` may have been typed meanwhile: then nobody is asked anything more.
    if (!isLeaving) folderInstructions = await readInstructions({ config, settings, chatInterface, tasks, signal });
    while (!isLeaving && !signal.aborted) {
      const text = await chatInterface.next();
      if (text === undefined) break;
      const line = text.trim();
      if (isCommandText(line)) {
        if ((await tasks.run((stop) => runCommand(line, chat, stop))) === "exit") break;
      } else if (isShellText(line)) await tasks.run((stop) => shellCommands.run(line.slice(1).trim(), stop));
      else if (line !== "") await ask(text, settings.mode);
    }
    if (
      chatInterface.reader &&
      conversation.runId !== undefined &&
      conversation.id !== undefined &&
      (await duet.canKeepConversations())
    )
      chatInterface.write(renderFarewell(settings, conversation.id));
  } finally {
    clearTimeout(behind);
    await chatInterface.close();
  }
  return 0;
}

function createSettings({ duet, mode, agent, search }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, agent, search, models: {}, limits: {} };
}

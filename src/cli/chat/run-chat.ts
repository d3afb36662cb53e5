import type { Duet } from "../../app/duet.ts";
import { listKnownSecrets } from "../../app/secrets/known-secrets.ts";
import type { Config } from "../../config/config.ts";
import { getHomeDirectory } from "../../config/sources/find-file.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import { toGoOnQuestion } from "../../core/go-on.ts";
import type { Mode } from "../../core/outcome.ts";
import { createRunInbox, type Delivery, type RunInbox } from "../../core/run-inbox.ts";
import { statusParts } from "../../core/status-parts.ts";
import { firstBranch } from "../../core/store/branches.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { say } from "../../kit/locale.ts";
import { createRedactor } from "../../kit/text/redact.ts";
import type { SideOutput } from "../follow-config.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import { createLine } from "../terminal/text/line.ts";
import { answerQuestion, type QuestionOptions } from "./answer-question.ts";
import type { Chat, ChatSettings } from "./chat.ts";
import type { ChatHandler, ChatInterface } from "./chat-interface.ts";
import { renderFarewell, renderMode, renderPrompt, renderWelcome, waitTexts } from "./chat-lines.ts";
import { chatCommands } from "./command-list.ts";
import { listNames } from "./commands/chat-command.ts";
import { createComplete } from "./complete-commands.ts";
import { createStartWatch } from "./follow-start.ts";
import { findInterruptedRun, renderInterruptedRun } from "./interrupted-run.ts";
import { type Offer, type OfferedCommand, renderOffer } from "./offers.ts";
import { applyChoices, type KeptChoices, openConversation, restoreChoices, showChosen } from "./open-conversation.ts";
import { createOwnCommands } from "./own-commands/own-commands.ts";
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
  let { conversationId } = options;
  /** Is undefined until the conversation is opened: it goes on where it was asked last. */
  let branch: number | undefined;
  let runId: string | undefined;
  let folderInstructions: readonly FolderInstructions[] = [];
  let isLeaving = false;
  let offer: Offer | undefined;
  /** Is the command for the next page of a step. It leaves what else is offered as it was. */
  let nextPage: OfferedCommand | undefined;
  let inbox: RunInbox | undefined;
  let lastDelivery: Delivery | undefined;

  const tasks = createTasks({
    signal,
    onFailure: (thrown, stop) => chatInterface.write(renderFailure(thrown, settings.locale, stop)),
    // What the task last drew may still say that it can be stopped.
    onEnd: () => chatInterface.refresh(),
  });
  const start = createStartWatch(duet.servers, () => chatInterface.refresh());
  const models = createModelNames(duet.models, settings, () => chatInterface.refresh());
  const status = createStatusLine({
    ...{ duet, catalog: duet.models, bill, folder: folders.cwd, home: getHomeDirectory(config.environment) },
    parts: config.terminal.statusLine ?? statusParts,
    current: () => ({ settings, models: models.line() }),
    next() {
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
      const delivery = isShellText(text) ? undefined : inbox?.send(text.trim());
      if (delivery === "next_step") return true;
      // Each reason is said once per run.
      if (delivery && delivery !== lastDelivery)
        chatInterface.write(createLine(say(settings.locale, waitTexts[delivery]), "dim"));
      lastDelivery = delivery ?? lastDelivery;
      return false;
    },
    get messages() {
      return inbox?.waiting.map(({ text }) => text) ?? [];
    },
    takeMessages: () => inbox?.takeAll().map(({ text }) => text) ?? [],
    get offered() {
      return nextPage ?? offer?.command;
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
    if (inbox === undefined || !canRunAtOnce(line)) return false;
    chatInterface.write(createLine(`${handler.prompt()}${line}`, "dim"));
    void runCommand(line, chat, signal).then((left) => {
      if (left !== "exit") return;
      handler.leave();
      handler.stop();
    });
    return true;
  }

  /** Goes on with a conversation, where a person types in its mode, and returns lines about that. At a stop the chat stays as it was. */
  async function enter(
    place: { conversationId: string; branch: number },
    options: { keeps?: KeptChoices | undefined; signal: AbortSignal },
  ): Promise<string[]> {
    const lines = chatInterface.reader ? await restoreChoices(chat, place, options) : [];
    ({ conversationId, branch } = place);
    runId = undefined;
    dropOffers();
    chat.refresh();
    return lines;
  }

  /** Offers something until the next question. */
  function makeOffer(made: Offer): void {
    offer = made;
    nextPage = undefined;
    showOffer(made.command);
  }

  function showOffer(command: OfferedCommand): void {
    const { reader, hasKeys } = chatInterface;
    if (reader) chatInterface.write(renderOffer(command, { ...settings, hasKeys }));
    chatInterface.refresh();
  }

  function dropOffers(): void {
    offer = undefined;
    nextPage = undefined;
  }

  async function ask(
    question: string,
    mode: Mode,
    more: Pick<QuestionOptions, "resumed" | "goesOn" | "models" | "tools" | "attachesFiles"> = {},
  ): Promise<void> {
    dropOffers();
    let limited: Offer | undefined;
    const runInbox = createRunInbox({ isAskedLater: true });
    inbox = runInbox;
    lastDelivery = undefined;
    start.begin();
    await tasks.run((stop) =>
      answerQuestion({
        ...more,
        inbox: runInbox,
        duet,
        config,
        chatInterface,
        question,
        mode,
        settings,
        folderInstructions,
        folders,
        conversationId,
        outputs: shellCommands.render,
        branch,
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
            beginRun(event);
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
    inbox = undefined;
    status.refresh();
    chatInterface.putFirst(runInbox.close().map(({ text }) => text));
    if (limited && !isLeaving) makeOffer(limited);
  }

  function beginRun(event: { conversationId: string; runId: string }): void {
    if (event.conversationId !== conversationId) branch = firstBranch;
    ({ conversationId, runId } = event);
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
    get branch() {
      return branch;
    },
    folder: folders.cwd,
    status,
    ownCommands,
    get runId() {
      return runId;
    },
    reader: chatInterface.reader,
    write: chatInterface.write,
    toggleSteps: chatInterface.toggleSteps,
    edit: chatInterface.edit,
    startAnew() {
      if (conversationId !== undefined) duet.forget(conversationId);
      conversationId = undefined;
      branch = undefined;
      dropOffers();
      status.refresh();
    },
    leaveForSwitch() {
      const isKept = config.agent.keepHistory;
      const [left, leftBranch] = [conversationId, branch];
      // The history stays or goes; what was found and agreed to goes with the mode or the model.
      if (isKept && left !== undefined) duet.forget(left);
      if (!isKept) chat.startAnew();
      return {
        isKept,
        offer() {
          if (!isKept && left !== undefined) makeOffer({ command: "/keep", conversationId: left, branch: leftBranch });
        },
      };
    },
    keepHistory() {
      if (offer?.command !== "/keep") return false;
      ({ conversationId, branch } = offer);
      dropOffers();
      status.refresh();
      return true;
    },
    resume(id, stop) {
      const enterAt = (at: number) => enter({ conversationId: id, branch: at }, { signal: stop });
      return openConversation(chat, chatInterface, id, { enter: enterAt, signal: stop });
    },
    async goTo(place, stop) {
      const lines = await restoreChoices(chat, place, { signal: stop });
      if (conversationId !== undefined) duet.forget(conversationId);
      ({ conversationId, branch } = place);
      runId = undefined;
      dropOffers();
      chat.refresh();
      return lines;
    },
    prefill: chatInterface.prefill,
    offerNext(command) {
      nextPage = command;
      if (command !== undefined) showOffer(command);
    },
    async continueRun(stop) {
      if (offer?.command === "/continue") {
        await ask(toGoOnQuestion(offer.question, settings.locale), offer.mode, { goesOn: true });
        return true;
      }
      const run = await findInterruptedRun(duet.storedRuns);
      if (run === undefined) return false;
      const { mode, models: changes } = settings;
      const lines = chatInterface.reader ? await applyChoices(chat, run.header, { signal: stop }) : [];
      stop.throwIfAborted();
      const taken = await duet.storedRuns.takeInterrupted(run.runId);
      // Another terminal goes on with it.
      if (taken === undefined) {
        Object.assign(settings, { mode, models: changes });
        return false;
      }
      chatInterface.write(...lines.map((line) => createLine(line, "dim")));
      chat.refresh();
      await ask(taken.header.question, taken.header.mode, { resumed: taken });
      return true;
    },
    ask,
    refresh() {
      models.refresh();
      status.refresh();
      chatInterface.refresh();
    },
  };

  async function offerInterrupted(): Promise<void> {
    const run = duet.storedRuns.areRecorded ? await findInterruptedRun(duet.storedRuns) : undefined;
    if (run && !isLeaving) chatInterface.write(createLine(renderInterruptedRun(run, settings.locale), "dim"));
  }

  options.asides?.showBy((line) => chatInterface.write(line));
  // The prompt stands first: what it does not show is begun behind its first frame.
  const behind = setTimeout(() => {
    models.refresh();
    status.refresh();
    void ignoreRejection(duet.servers.waitForStatus(signal), "the question that needs the servers reports it");
    if (chatInterface.reader) void ignoreRejection(offerInterrupted(), "the first question reports it");
    if (chatInterface.reader) void ignoreRejection(readOwnCommands(), "the command that is typed reads them again");
  }, firstFrameMs);
  try {
    if (chatInterface.reader) {
      const opened = conversationId;
      // The conversation may have another mode, which is known once it is read.
      const knowsMode = options.keeps?.mode === true || (opened ?? options.resumes) === undefined;
      chatInterface.write(renderWelcome(settings, knowsMode));
      if (options.firstLine !== undefined) chatInterface.write(createLine(options.firstLine, "dim"));
      if (opened !== undefined) {
        const isFound = await tasks.run((signal) => {
          const enterAt = (at: number) =>
            enter({ conversationId: opened, branch: at }, { keeps: options.keeps, signal });
          return showChosen(chat, chatInterface, opened, { enter: enterAt, signal });
        });
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
      runId !== undefined &&
      conversationId !== undefined &&
      (await duet.storeHealth.canKeepConversations())
    )
      chatInterface.write(renderFarewell(settings, conversationId));
  } finally {
    clearTimeout(behind);
    await chatInterface.close();
  }
  return 0;
}

function createSettings({ duet, mode, agent, search }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, agent, search, models: {}, limits: {} };
}

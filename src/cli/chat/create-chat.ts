import type { LimitChanges } from "../../app/ask/merge-limits.ts";
import type { Duet } from "../../app/duet.ts";
import { listKnownSecrets } from "../../app/secrets/known-secrets.ts";
import type { Config } from "../../config/config.ts";
import { getHomeDirectory } from "../../config/sources/find-file.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { Mode } from "../../core/run/outcome.ts";
import { statusParts } from "../../core/status-parts.ts";
import { createRedactor } from "../../kit/text/redact.ts";
import { createJointExitCode } from "../exit-code.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import type { Chat, ChatSettings } from "./chat.ts";
import { chatCommands } from "./command-list.ts";
import { listNames } from "./commands/chat-command.ts";
import { type CurrentConversation, createCurrentConversation } from "./conversation/current-conversation.ts";
import { createChatHandler } from "./interface/chat-handler.ts";
import type { ChatHandler, ChatInterface } from "./interface/chat-interface.ts";
import { createOffers, type Offers, showOffer } from "./offers.ts";
import { createOwnCommands, type OwnCommands } from "./own-commands/own-commands.ts";
import { continueRun } from "./question/continue-run.ts";
import { createAsk } from "./question/create-ask.ts";
import { createRunMessages } from "./question/run-messages.ts";
import { createStartWatch } from "./question/start-watch.ts";
import { readInstructions } from "./read-instructions.ts";
import { renderFailure } from "./run-command.ts";
import type { SearchSwitch } from "./settings/search-switch.ts";
import { createModelNames, type ModelNames } from "./settings/switch-models.ts";
import { createShellCommands, type ShellCommands } from "./shell/shell-commands.ts";
import { createSessionBill } from "./status/session-bill.ts";
import { createStatusLine, type StatusLine } from "./status/status-line.ts";
import type { StepLog } from "./steps/step.ts";
import { createStepLog } from "./steps/step-log.ts";
import { createTasks, type Tasks } from "./tasks.ts";

export interface ChatOptions {
  duet: Duet;
  config: Config;
  /** Is the conversation to continue. A new one begins when it is absent. */
  conversationId?: string | undefined;
  mode: Mode;
  /** Names the agent that answers. It is the main one when absent. */
  agent?: string | undefined;
  /** Holds the limits that flags have set. */
  limits?: LimitChanges | undefined;
  search: SearchSwitch;
  /** Says what paths are relative to. */
  folders: Folders;
  openInterface(handler: ChatHandler, steps: StepLog): Promise<ChatInterface>;
  signal: AbortSignal;
}

/** Holds a chat, and the parts of it that its commands do not see. */
export interface ChatParts {
  chat: Chat;
  chatInterface: ChatInterface;
  conversation: CurrentConversation;
  models: ModelNames;
  offers: Offers;
  ownCommands: OwnCommands;
  shellCommands: ShellCommands;
  status: StatusLine;
  tasks: Tasks;
  /** Is the exit code of the last question that did not succeed, and 0 where all have. */
  readonly exitCode: number;
  /** Reads the instructions of the working folder, which the models are given from then on. */
  readInstructions(): Promise<void>;
}

/** Joins the parts of a chat, and opens its interface. */
export async function createChat(options: ChatOptions): Promise<ChatParts> {
  const { duet, config, folders, signal } = options;
  const steps = createStepLog();
  const bill = createSessionBill();
  const settings = createSettings(options);
  let folderInstructions: readonly FolderInstructions[] = [];
  const exitCode = createJointExitCode();
  // What follows draws by the interface, which asks the handler in its turn: nothing is drawn before both are there.
  const refresh = (): void => chatInterface.refresh();
  const write: ChatInterface["write"] = (...lines) => chatInterface.write(...lines);
  const tasks = createTasks({
    signal,
    onFailure: (thrown, stop) => write(renderFailure(thrown, settings.locale, stop)),
    // What the task last drew may still say that it can be stopped.
    onEnd: refresh,
  });
  const offers = createOffers((command) => showOffer(chatInterface, command, settings.locale));
  const messages = createRunMessages({ locale: () => settings.locale, write });
  const start = createStartWatch(duet.servers, refresh);
  const models = createModelNames(duet.models, settings, refresh);
  const status = createStatusLine({
    ...{ duet, catalog: duet.models, bill, folder: folders.cwd, home: getHomeDirectory(config.environment) },
    parts: config.terminal.statusLine ?? statusParts,
    current: () => ({ settings, models: models.line() }),
    next() {
      const { id: conversationId, branch } = conversation;
      if (conversationId === undefined) return undefined;
      const { mode, locale } = settings;
      return { conversationId, branch, mode, folderInstructions, locale, signal };
    },
    onChange: refresh,
  });
  const ownCommands = createOwnCommands({ chat: () => chat, taken: chatCommands.flatMap(listNames) });
  const handler = createChatHandler({
    ...{ chat: () => chat, settings, folders, messages, offers, start, status, tasks, signal },
  });
  const chatInterface = await options.openInterface(handler, steps);
  const shellCommands = createShellCommands({
    environment: config.environment,
    redact: createRedactor(listKnownSecrets(config)).redact,
    locale: () => settings.locale,
    write,
  });
  const conversation = createCurrentConversation({
    ...{ id: options.conversationId, duet, config, settings, steps, chatInterface, offers, status },
    refresh: () => chat.refresh(),
  });
  const chat: Chat = {
    ...{ duet, config, settings, steps, bill, conversation, status, ownCommands, write },
    get folderInstructions() {
      return folderInstructions;
    },
    folder: folders.cwd,
    reader: chatInterface.reader,
    toggleSteps: chatInterface.toggleSteps,
    edit: chatInterface.edit,
    prefill: chatInterface.prefill,
    offerNext: offers.offerNext,
    ask: (question, mode, choices) => ask(question, mode, choices),
    continueRun: (stop) => continueRun({ chat, offer: offers.offer, ask }, stop),
    refresh() {
      models.refresh();
      status.refresh();
      chatInterface.refresh();
    },
  };
  const ask = createAsk({
    ...{ chat, chatInterface, conversation, folders, messages, offers, shellCommands, start, status, tasks },
    onOutcome: exitCode.add,
  });
  return {
    ...{ chat, chatInterface, conversation, models, offers, ownCommands, shellCommands, status, tasks },
    get exitCode() {
      return exitCode.code;
    },
    async readInstructions() {
      folderInstructions = await readInstructions({ config, settings, chatInterface, tasks, signal });
    },
  };
}

function createSettings({ duet, mode, agent, search, limits = {} }: ChatOptions): ChatSettings {
  return { locale: duet.locale, mode, agent, search, models: {}, limits };
}

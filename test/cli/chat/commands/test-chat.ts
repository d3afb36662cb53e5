// A chat without an interface: its duet, store, steps and bill are real, and what it writes is kept.
import { onTestFinished } from "vitest";
import type { DuetOverrides } from "../../../../src/app/ask/ask-request.ts";
import { openDuet } from "../../../../src/app/open-duet.ts";
import type { Chat } from "../../../../src/cli/chat/chat.ts";
import { chatCommands } from "../../../../src/cli/chat/command-list.ts";
import { listNames } from "../../../../src/cli/chat/commands/chat-command.ts";
import { restoreChoices } from "../../../../src/cli/chat/conversation/open-conversation.ts";
import { createOwnCommands } from "../../../../src/cli/chat/own-commands/own-commands.ts";
import { runCommand } from "../../../../src/cli/chat/run-command.ts";
import { createSessionBill } from "../../../../src/cli/chat/status/session-bill.ts";
import { createStepLog } from "../../../../src/cli/chat/steps/step-log.ts";
import type { PickOptions, Reader } from "../../../../src/cli/questions/reader.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import type { Mode } from "../../../../src/core/run/outcome.ts";
import { configFile, temporaryFolder } from "../../../fakes/program.ts";

export interface TestChat extends Chat {
  /** Runs a command and gives the lines that it wrote. */
  type(line: string, signal?: AbortSignal): Promise<string[]>;
  /** The lists that were shown; each is answered with the next of `picks`. */
  readonly shown: { title: string; labels: string[]; details: string[]; chosen: unknown }[];
  /** What was last written. */
  readonly written: string[];
  /** Counts how often the chat was notified that its prompt has changed. */
  readonly refreshed: number;
  /** The lines about commands that cannot be used. */
  takeProblems(): string[];
  /** The texts that were put into the input, and the commands that were offered. */
  readonly prefilled: readonly string[];
  readonly offered: readonly string[];
  readonly asked: { question: string; mode: Mode }[];
}

export interface TestChatOptions {
  mode?: Mode;
  parts?: DuetOverrides;
  settings?: Record<string, unknown>;
  /** The labels to be taken in lists; undefined leaves one. Absent: nobody can be asked. */
  picks?: (string | undefined)[];
  /** The lines that are typed as replies, in their order. Without `picks` also a choice is typed, by its number. */
  replies?: string[];
}

export async function openTestChat({
  mode = "agent",
  parts,
  settings,
  picks,
  replies,
}: TestChatOptions = {}): Promise<TestChat> {
  const home = await temporaryFolder();
  const models = parts ? {} : { models: { functionCall: { provider: "offline" } } };
  const file = await configFile({ locale: "en", search: { backend: "tavily" }, ...models, ...settings });
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home });
  const duet = await openDuet(config, parts);
  onTestFinished(() => duet.close());
  const steps = createStepLog({ now: () => 0 });
  const bill = createSessionBill();
  const written: string[] = [];
  const shown: TestChat["shown"] = [];
  const asked: TestChat["asked"] = [];
  let conversationId: string | undefined;
  let branch: number | undefined;
  let runId: string | undefined;
  const prefilled: string[] = [];
  const offered: string[] = [];
  let refreshed = 0;

  async function pick<T>({ title, choices, chosen }: PickOptions<T>): Promise<T | undefined> {
    const labels = choices.map(({ label }) => label);
    shown.push({ title, labels, details: choices.map(({ detail = "" }) => detail), chosen });
    const label = picks?.shift();
    return choices[labels.indexOf(label ?? "")]?.value;
  }

  const reader: Reader = {
    locale: "en",
    ask: async () => replies?.shift(),
    write: (line) => void written.push(toPlainText(line)),
    ...(picks && { pick }),
  };
  const ownCommands = createOwnCommands({ chat: () => chat, taken: chatCommands.flatMap(listNames) });
  const chat: TestChat = {
    duet,
    config,
    settings: { locale: "en", mode, search: { on: false, isBarred: false }, models: {}, limits: {} },
    steps,
    bill,
    folderInstructions: [],
    shown,
    written,
    asked,
    toggleSteps: () => undefined,
    get refreshed() {
      return refreshed;
    },
    conversation: {
      get id() {
        return conversationId;
      },
      get branch() {
        return branch;
      },
      get runId() {
        return runId;
      },
      startAnew() {
        conversationId = undefined;
      },
      leaveForSwitch() {
        conversationId = undefined;
        return { isKept: false, offer: () => {} };
      },
      keepHistory: () => false,
      async resume(id) {
        const known = await (await duet.store()).load(id);
        if (known === undefined) throw new Error(`no conversation ${id}`);
        conversationId = id;
        ({ branch } = known);
      },
      async goTo(place, signal) {
        ({ conversationId, branch } = place);
        return restoreChoices(chat, place, { signal });
      },
    },
    folder: home,
    ownCommands,
    takeProblems: () => ownCommands.takeProblems("en"),
    status: { listFacts: () => [] },
    prefill: (text) => void prefilled.push(text),
    offerNext: (page) => void offered.push(...(page === undefined ? [] : [page])),
    prefilled,
    offered,
    reader: picks || replies ? reader : undefined,
    write: (...lines) => void written.push(...lines.map(toPlainText)),
    edit: async (text) => void written.push(`edit ${text}`),
    async continueRun() {
      return false;
    },
    async ask(question, asMode, choices) {
      asked.push({ question, mode: asMode, ...choices });
      for await (const event of duet.ask({ question, mode: asMode, conversationId, branch, folder: home })) {
        steps.handle(event);
        if (event.type === "run-start") ({ conversationId, runId } = event);
        if (event.type === "run-end") bill.add(event.outcome);
      }
    },
    refresh() {
      refreshed += 1;
    },
    async type(line, signal = new AbortController().signal) {
      written.length = 0;
      await runCommand(line, chat, signal);
      return [...written];
    },
  };
  return chat;
}

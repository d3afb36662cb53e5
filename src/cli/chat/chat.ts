import type { LimitChanges } from "../../app/ask/merge-limits.ts";
import type { Duet } from "../../app/duet.ts";
import type { ModelChanges } from "../../app/models/change-models.ts";
import type { Config } from "../../config/config.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { Mode } from "../../core/run/outcome.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import type { Reader } from "../questions/reader.ts";
import type { Line } from "../terminal/text/line.ts";
import type { NextPage } from "./offers.ts";
import type { SearchSwitch } from "./settings/search-switch.ts";
import type { SessionBill } from "./status/session-bill.ts";
import type { StepLog } from "./steps/step.ts";

/** Holds the settings of a chat, which its commands change. */
export interface ChatSettings {
  /** Is the language of all that the chat says by itself. A model answers in the language of the question. */
  locale: Locale;
  mode: Mode;
  /** Names the agent that answers. It is the main one when undefined. */
  agent?: string | undefined;
  readonly search: SearchSwitch;
  /** Overrides the configured models. */
  models: ModelChanges;
  /** Overrides the configured limits. */
  limits: LimitChanges;
}

/** Describes a command of a file or a server, as help shows it. */
export interface OwnCommandEntry {
  readonly name: `/${string}`;
  readonly argument: string;
  readonly help: Text;
}

/** Holds the commands of the user, of the working folder and of the servers. */
export interface OwnCommandList {
  /** Lists what was read last, without waiting. */
  readonly known: readonly OwnCommandEntry[];
  /** Reads the files again, and the servers' prompts as far as they are listed. Never rejects. */
  reload(signal: AbortSignal): Promise<void>;
  /** Runs a command. Returns false where there is none of that name. */
  run(name: string, argument: string, signal: AbortSignal): Promise<boolean>;
}

/** Holds what one question is asked with, in place of what is in force. */
export interface QuestionChoices {
  models?: ModelChanges | undefined;
  /** Limits the tools to those that match one of these patterns. */
  tools?: readonly string[] | undefined;
  /** Is false for a text that nobody here has written: the files that it names are not read. */
  attachesFiles?: boolean | undefined;
}

/** Says what became of a conversation that was left. */
export interface LeftConversation {
  /** Is true where its history is carried over, because the configuration says so. */
  readonly isKept: boolean;
  /** Makes the offer to carry the history over, where it is cleared and there is any. */
  offer(): void;
}

/** Tells in which conversation a chat goes on, and moves to others. */
export interface ChatConversation {
  /** Is undefined before the first question of a new one. */
  readonly id: string | undefined;
  /** Is the branch that this chat continues. Another terminal of the conversation may be on another one. */
  readonly branch: number | undefined;
  /** Is the last run of this chat. It is undefined when none has begun since the chat switched to another conversation. */
  readonly runId: string | undefined;
  /** Begins a new conversation: what was said, found and agreed to is left behind. */
  startAnew(): void;
  /** Leaves the conversation, because the mode or a model is switched. */
  leaveForSwitch(): LeftConversation;
  /** Goes back to the conversation that a switch has left. Returns false when there is none to go back to. */
  keepHistory(): boolean;
  /** Goes on with this one, and shows how it ended. Where it rejects, as at a stop and when there is none, the chat stays as it was. */
  resume(id: string, signal: AbortSignal): Promise<void>;
  /** Goes on with this branch of a conversation, in the mode and with the models of a run; returns what that changes. At a stop it stays. */
  goTo(
    place: { conversationId: string; branch: number; runId?: string | undefined },
    signal: AbortSignal,
  ): Promise<string[]>;
}

/** Represents a chat as its commands see it. */
export interface Chat {
  readonly duet: Duet;
  readonly config: Config;
  readonly settings: ChatSettings;
  readonly steps: StepLog;
  readonly bill: SessionBill;
  /** Lists the instructions of the working folder that the models are given. */
  readonly folderInstructions: readonly FolderInstructions[];
  /** Is where the chat goes on. */
  readonly conversation: ChatConversation;
  /** Holds the commands beside Duet's own. */
  readonly ownCommands: OwnCommandList;
  /** Is the folder in which the person asks. */
  readonly folder: string;
  /** Tells what the status line shows. */
  readonly status: { listFacts(): { name: Text; value: string }[] };
  /** Represents a person who can be asked or shown a picker. It is undefined when the input is a pipe. */
  readonly reader: Reader | undefined;
  write(...lines: (string | Line)[]): void;
  /** Folds or opens the steps of the newest answer; see `ChatInterface`. */
  toggleSteps(): boolean | undefined;
  /** Puts a text into the input, to be changed and sent. */
  prefill(text: string): void;
  /** Offers the next page of a step, which one key shows, before what else it would do; undefined after the last one. */
  offerNext(page: NextPage | undefined): void;
  /** Goes on with the run that has reached a limit, or that a crash has interrupted. Returns false when there is none; rejects at a stop. */
  continueRun(signal: AbortSignal): Promise<boolean>;
  /** Asks as if it had been typed, in a mode of its own. */
  ask(question: string, mode: Mode, options?: QuestionChoices): Promise<void>;
  /** Opens a text in an editor of the user's own, and puts what comes of it into the input. Never rejects. */
  edit(text: string): Promise<void>;
  /** Redraws after a change of the mode, the models or the language. */
  refresh(): void;
}

import type { Evaluator } from "../../agent/loop/evaluator.ts";
import type { Models } from "../../agent/run.ts";
import type { AnswerForm } from "../../core/answer-form.ts";
import type { Attachment } from "../../core/attachment.ts";
import type { Caller } from "../../core/caller.ts";
import type { Chain } from "../../core/chain.ts";
import type { CallClient, ClientTools, GivenStep } from "../../core/client-tools.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import type { LimitCeilings } from "../../core/limits/limits.ts";
import type { ToolChoice } from "../../core/model/model.ts";
import type { DayBudget } from "../../core/model/turn-budget.ts";
import type { User } from "../../core/questions/user.ts";
import type { Mode } from "../../core/run/outcome.ts";
import type { RunInbox } from "../../core/run/run-inbox.ts";
import type { ConversationTurn, SourceList } from "../../core/store/conversations/conversation.ts";
import type { Entrance, HostRequest, RunHeader, RunJournal, TakenRun } from "../../core/store/journal.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import type { SendingGuard } from "../../core/tools/data-flow.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { ToolInterceptor } from "../../core/tools/tool-interceptor.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import type { CustomModels } from "../models/model-registry.ts";
import type { LimitChanges } from "./merge-limits.ts";

/** Holds a question and all that may come with it. */
export interface AskRequest {
  question: string;
  /** Holds the images and documents that come with the question. One that cannot be read is left out, with a notice. */
  attachments?: readonly Attachment[] | undefined;
  /** Identifies the caller, which is the operator when absent. */
  caller?: Caller | undefined;
  /** Sets the ID of the run. A new one is generated when absent. */
  runId?: string | undefined;
  /** Continues this conversation, or begins one under this ID where the store has none, with a notice. A new one begins when it is absent. */
  conversationId?: string;
  /** Is true where the conversation was given its ID before its first question, which this is. */
  isFirst?: boolean | undefined;
  /** Is the branch of the conversation that the question continues; the current one when absent. */
  branch?: number | undefined;
  /** Is the turn that the question follows, in place of the last one of a branch; 0 for a first one. */
  after?: number | undefined;
  /** Is the folder in which a person asks. A conversation that begins with the question belongs to it. */
  folder?: string | undefined;
  /**
   * Holds the earlier turns as the asker has kept them, in place of a conversation of ours. The run is not added to any list. An
   * asker that returns them unchanged continues with the same sources, and with a plan that waits.
   */
  history?: readonly GivenTurn[] | undefined;
  /** Holds the calling program's instruction for all answers. It ranks below our own prompts. */
  instruction?: string | undefined;
  /** Lists the instructions of the working folder, which a person has trusted. They rank below our own prompts. */
  folderInstructions?: readonly FolderInstructions[] | undefined;
  /** Sets how the question is answered, in place of `agent.mode` of the configuration. */
  mode?: Mode;
  /**
   * Is true where the reader can take text back. Text of which it is not known yet whether it is a thought or the answer is then told
   * as a draft; what it was follows as ever.
   */
  drafts?: boolean | undefined;
  /** Is the form of the answer, where a program reads it. */
  answerForm?: AnswerForm | undefined;
  /** Ends the answer before the first of these texts. Vendors take four as a rule; what a model does not take is told in a notice. */
  stop?: readonly string[] | undefined;
  /** Says for the first round whether the model may, must or must not call a tool. It is `auto` when absent. */
  toolChoice?: ToolChoice | undefined;
  /**
   * Holds the numbers under which the asker's own words bring documents, and is empty where they bring none. The answer keeps these
   * numbers, our sources get higher ones, and while a run has fetched nothing it leaves every bracket as its model wrote it.
   */
  documents?: ReadonlySet<number> | undefined;
  /**
   * Is true when chat mode searches the web for the question first. When it is absent, `search.enabled` decides, and the default
   * is false.
   */
  search?: boolean | undefined;
  /**
   * Answers the questions of the run. Where the user cannot be asked a kind of question, a call does not run, a plan follows the
   * policy for plans, and a question of a downstream server is cancelled.
   */
  user?: User | undefined;
  /** Takes what a person says while the run works. */
  inbox?: RunInbox | undefined;
  /** Limits the tools to those whose names match one of these patterns. Those of the agent that answers hold as well. */
  tools?: readonly string[] | undefined;
  /** Names the agent that answers, one of `agents` in the configuration. It is the main one when absent. */
  agent?: string | undefined;
  /** Limits the tools to those that match a pattern of each of these lists: what the agents above may use. */
  within?: readonly (readonly string[])[] | undefined;
  /** Is the guard of the run above, where the run is part of another one. */
  sending?: SendingGuard | undefined;
  /** Numbers the sources of the run, where it is part of another one. */
  sources?: SourceList | undefined;
  /** Sets limits of this question, in place of the configured ones. */
  limits?: LimitChanges;
  /** Holds the most that the server allows this caller, whatever the configuration and the question say. */
  ceilings?: LimitCeilings | undefined;
  /** Holds the tools that the asking program runs itself. They are offered in every mode. */
  clientTools?: ClientTools | undefined;
  /** Hands calls of these tools to the program. They cannot be called where it is absent. */
  callClient?: CallClient | undefined;
  /** Holds what the asking program has called for this question before, in place of a run that is gone. */
  earlierSteps?: readonly GivenStep[] | undefined;
  /** Replaces the models in force. */
  models?: Models | undefined;
  /** Limits what the turns of this run and of the caller's other runs use together. */
  budget?: DayBudget | undefined;
  /** Is the language of messages about the question. It is `localeFor` the question when absent. */
  locale?: Locale | undefined;
  /** Says where the run stands in a chain of agents, and what the agent above allows it. */
  chain?: Chain;
  /** Is true when a person waits for the answer at one of our own interfaces. A paused model is then tried for this question. */
  isInteractive?: boolean | undefined;
  /** Is true when the run goes on with the last one of the conversation, with limits of its own, and without its calls. */
  goesOn?: boolean | undefined;
  /** Is true where nothing that other runs have learned of the models may change what they are sent. */
  isApart?: boolean | undefined;
  /** Says how the run is recorded. */
  recording?: RecordingRequest | undefined;
  /** Goes on with a run of an ended process. What the run was asked for comes from its records. */
  resumed?: TakenRun | undefined;
  /** Stops the run when it aborts: the model's request and the tool's call end, and the run is `cancelled`. */
  signal?: AbortSignal;
}

export interface RecordingRequest {
  /** Is the interface that the question came through, whose next process may go on with the run. It is `library` when absent. */
  entrance: Entrance;
  /** Names what was asked for, so that the same question asked again finds the run. */
  key?: string | undefined;
  /** Is the conversation that was asked for with this key, or undefined for a new one. */
  wantedConversationId?: string | undefined;
  /** Says what becomes of the run when everybody who waits for it has left, for whoever goes on with it. */
  onDisconnect?: RunHeader["onDisconnect"];
  /** Is the ID of the run with which this one goes on, where the answer is that of both. */
  goesOnWith?: string | undefined;
  /** Is the request for which the run begins. */
  hostRequest?: HostRequest | undefined;
  /** Aborts when this process wants to end, and the run is to go on in another one. */
  leaving?: AbortSignal | undefined;
  /** Is called with the ID of the conversation once it is open. The run begins later where servers that start are waited for. */
  onConversation?(id: string): void;
  /** Is called when the run is recorded, before its first event. */
  onRecorded?(journal: RunJournal): void;
  /** Resolves when the events that were told so far are recorded, or a few seconds later: the end of the run is stored then. Never rejects. */
  flushEvents?(): Promise<void>;
}

/** Holds an earlier turn as its asker has kept it. */
export interface GivenTurn extends ConversationTurn {
  /** Holds the images and documents that came with its question. */
  attachments?: readonly Attachment[] | undefined;
  /** Holds the calls of the asker's own tools, which a run has not recorded. */
  givenSteps?: readonly GivenStep[] | undefined;
}

export interface CompactRequest {
  conversationId: string;
  branch?: number | undefined;
  caller?: Caller | undefined;
  models?: Models | undefined;
  locale?: Locale | undefined;
  signal: AbortSignal;
}

/** Limits how long closing may take, in milliseconds. */
export interface CloseLimits {
  totalMs: number;
  /** Limits the part of that time for sending the last spans. It is the whole time when absent. */
  telemetryMs?: number | undefined;
}

/** Holds what a program that embeds Duet provides itself, in place of the configured parts. */
export interface DuetOverrides {
  models?: CustomModels | undefined;
  /** Adds tools to the built-in ones and those of the servers. */
  tools?: readonly Tool[];
  evaluator?: Evaluator | undefined;
  store?: ConversationStore | undefined;
  /** Says when downstream servers begin to start. They start at once when it is absent. */
  startServers?: "at-once" | "when-wanted";
  /** Is true where hosts get the servers' tools themselves (`--expose tools` or `both`). */
  passesOn?: boolean;
  /** Is true where others ask than whoever has started the program (HTTP): the language of the system is not theirs. */
  servesOthers?: boolean;
  /** Takes the place of the tools of servers, of the user and of Duet itself. */
  intercept?: ToolInterceptor;
  /** Takes the known secrets out of what models and tools say; one of its own when absent. */
  redactor?: Redactor;
  /** Takes a line about something beside the answers that does not work: spans that cannot be sent. */
  warn?: (line: Text) => void;
}

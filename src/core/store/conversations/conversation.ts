import type { AssistantMessage, FileRef, ImagePart, ToolMessage, UserMessage } from "../../model/messages.ts";
import type { Status } from "../../run/outcome.ts";
import type { NumberedSource } from "../../sources.ts";
import type { Source } from "../../tools/tool.ts";

/** Holds one conversation as a run reads it. A run changes only `sources`, and the store writes them. */
export interface Conversation {
  readonly id: string;
  /** Is its title, where the store knows it. */
  readonly title?: string | undefined;
  /** Is the branch whose turns these are. It is absent where the store keeps one line of turns. */
  readonly branch?: number | undefined;
  /** Lists questions and answers, oldest first. */
  readonly turns: readonly ConversationTurn[];
  /** Models read the summary in place of the oldest turns when there are too many of these. */
  readonly summary: Summary | undefined;
  /** Lists every source fetched so far. Their numbers do not change. */
  readonly sources: SourceList;
  /** Holds the plan that waits for confirmation, as its run passed it to the store. */
  readonly pendingPlan?: string | undefined;
  /** Names the tools that the conversation has loaded, as its last run passed them to the store. */
  readonly loadedTools?: readonly string[] | undefined;
  /** Marks untrusted text in what models read of the conversation. Nobody outside can guess it; absent before the first turn. */
  readonly marker?: string | undefined;
  /** Holds the whole results of its tools. With a store that keeps none, they last as long as the run. */
  readonly results?: ResultList | undefined;
}

/** Holds one question of a conversation and its answer. */
export interface ConversationTurn {
  question: string;
  /** Holds the answer as it was shown, with the citation numbers of the conversation and without the list of references. */
  answer: string;
  /** Lists the images and documents that came with the question. It is absent when none did. */
  files?: readonly FileRef[] | undefined;
  /** Lists the last images that tools returned while it was answered. It is absent when there was none. */
  images?: readonly ImagePart[] | undefined;
  /** Says how the run ended. It is absent for an answered question. */
  status?: TurnStatus | undefined;
  /** Lists the calls of the run with their results, in order. It is absent when there was none. */
  steps?: readonly TurnStep[] | undefined;
  /** Is what the models were told before the question, such as the day. */
  note?: string | undefined;
  /** Is what the model that wrote the answer read in place of the note and the question: both, with the results of the tools. */
  answerPrompt?: string | undefined;
  /** Is the tool of the agent that gave the answer in place of our models, to which its words are text from outside. */
  answeredBy?: string | undefined;
  agentSessions?: TurnSessions | undefined;
}

/** Says how a run ended whose question is not answered in full; `interrupted` where its process ended before it. */
export type TurnStatus = Extract<Status, "partial" | "failed" | "cancelled"> | "interrupted";

/** Holds what a model asked of tools in one of its turns, and the results, as the models read them. */
export interface TurnStep {
  message: AssistantMessage;
  results: readonly ToolMessage[];
  /** Lists what was said to the model after the results. */
  messages?: readonly UserMessage[] | undefined;
}

/** Holds the sessions of other agents that were used for a turn. */
export interface TurnSessions {
  /** Is the conversation whose question it was. A fork has a copy of the turn, and no share in these sessions. */
  conversation: string;
  /** Has the agents' names as its keys. */
  ids: Readonly<Record<string, string>>;
}

/** Holds a shorter text that stands for the first turns of a conversation. */
export interface Summary {
  text: string;
  /** Counts the oldest turns that the summary replaces. */
  turns: number;
  /** Is true when somebody asked for the summary. Models then read it even when the turns themselves would fit. */
  isWanted?: boolean | undefined;
  /** Lists what must not be lost of these turns, as the program itself has found it, a line each. */
  facts?: readonly string[] | undefined;
}

/** Holds a result of a tool under its number in the conversation. */
export interface NumberedResult {
  n: number;
  text: string;
}

/** Holds the results of which models have read parts, through the whole conversation. */
export interface ResultList {
  /** Is the highest number that a result has. */
  readonly last: number;
  /** Is true when there is a result that models can read on. */
  readonly hasResults: boolean;
  /** Resolves with undefined when there is no such result, or no longer. */
  get(n: number): Promise<string | undefined>;
}

/** Sources under the numbers by which the models cite them, through the whole conversation. */
export interface SourceList {
  /** Returns the numbers of the sources in the given order. A page that is fetched again keeps its number. */
  number(sources: readonly Source[]): Promise<number[]>;
  get(number: number): Source | undefined;
  /** Maps citation numbers to addresses. */
  all(): NumberedSource[];
  readonly size: number;
}

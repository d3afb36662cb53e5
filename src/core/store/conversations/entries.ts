import { toModelName } from "../../model/model.ts";
import type { Mode } from "../../run/outcome.ts";
import type { AgentTrace } from "../../run/trace.ts";
import type { TextMatch } from "./text-search.ts";

export interface ConversationPage {
  limit: number;
  offset: number;
  /** Leaves out the conversations that began elsewhere. */
  folder?: string | undefined;
  /** Adds what was asked to each entry. */
  withQuestions?: boolean | undefined;
  /** Leaves out all but one conversation. */
  id?: string | undefined;
  /** Leaves out those whose ID does not begin with this text. */
  beginning?: string | undefined;
  /** Leaves out those that are pinned, or those that are not. */
  isPinned?: boolean | undefined;
  /** Leaves out those in which these words do not stand. A search that takes long ends with what it has found by then. */
  search?: string | undefined;
  /** Ends a search: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Describes a conversation in a list. */
export interface ConversationEntry {
  id: string;
  /**
   * Holds the name that a person gave it, else the first line of the first question, truncated when it is long. It is empty until
   * a run has ended.
   */
  title: string;
  /** Is true when a person has named it. */
  isNamed?: boolean;
  isPinned?: boolean;
  /** Is the folder in which it began, where that is known. */
  folder?: string | undefined;
  /** Is true where it began as a copy of another one. */
  isFork?: boolean;
  /** Holds the beginnings of its questions, where they were wanted. */
  questions?: string | undefined;
  /** Counts the turns of the current branch. */
  turns: number;
  /** Holds ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
  /** Is how the last run was asked for. It is absent where the store does not know it. */
  lastRun?: LastRun | undefined;
  /** Is a place of the words that were searched for. */
  match?: TextMatch | undefined;
}

/** Holds the mode of a run, and its models as `provider/model`. */
export interface LastRun {
  mode: Mode;
  functionCall: string;
  answer: string;
}

export function toLastRun({ mode, models: { function_call, answer } }: AgentTrace): LastRun {
  return { mode, functionCall: toModelName(function_call), answer: toModelName(answer) };
}

/** Describes a run in a list. */
export interface RunEntry {
  id: string;
  question: string;
  status: AgentTrace["status"];
  /** Holds ISO 8601, UTC. */
  startedAt: string;
}

export function toRunEntry({ run_id, question, status, started_at }: AgentTrace): RunEntry {
  return { id: run_id, question, status, startedAt: started_at };
}

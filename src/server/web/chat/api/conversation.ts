import type { Citation } from "../../../../core/outcome.ts";
import { isRecord, textOf } from "../../../../kit/json.ts";
import { type Check, fields, isNumber, isText, listOf } from "../../run/checks.ts";

/** A conversation as the list has it. */
export interface ConversationEntry {
  readonly id: string;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
}

export interface ConversationPage {
  readonly entries: readonly ConversationEntry[];
  /** Where the next page begins; undefined behind the last. */
  readonly next: number | undefined;
}

/** A run as lists have it. */
export interface RunEntry {
  readonly id: string;
  readonly conversationId: string;
  readonly question: string;
  readonly status: string;
  /** Whether a question of it waits for a person. */
  readonly waits: boolean;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** A conversation that has been opened. */
export interface Conversation {
  readonly turns: readonly { readonly question: string; readonly answer: string }[];
  readonly sources: readonly Citation[];
  readonly runs: readonly RunEntry[];
}

export function readConversationPage(value: unknown): ConversationPage {
  const { conversations, next_offset } = isRecord(value) ? value : {};
  const entries = recordsOf(conversations, isConversation).map((each) => ({
    id: textOf(each.conversation_id),
    title: textOf(each.title),
    updatedAt: textOf(each.updated_at),
  }));
  return { entries, next: typeof next_offset === "number" ? next_offset : undefined };
}

/** Runs of a list, as they stand there. */
export function readRuns(value: unknown): readonly RunEntry[] {
  const { runs } = isRecord(value) ? value : {};
  return recordsOf(runs, isRun).map((each) => ({
    id: textOf(each.run_id),
    conversationId: textOf(each.conversation_id),
    question: textOf(each.question),
    status: textOf(each.status),
    waits: each.waits === true,
    startedAt: textOf(each.started_at),
  }));
}

export function readConversation(value: unknown): Conversation {
  const { turns, sources } = isRecord(value) ? value : {};
  return {
    turns: recordsOf(turns, isTurn).map(({ question, answer }) => ({
      question: textOf(question),
      answer: textOf(answer),
    })),
    sources: recordsOf(sources, isSource).map(({ n, title, url }) => ({
      n: Number(n),
      title: textOf(title),
      url: textOf(url),
    })),
    runs: readRuns(value),
  };
}

const isConversation = fields({ conversation_id: isText, title: isText });
const isRun = fields({ run_id: isText, question: isText, status: isText });
const isTurn = fields({ question: isText, answer: isText });
const isSource = fields({ n: isNumber, title: isText, url: isText });

function recordsOf(value: unknown, check: Check): Record<string, unknown>[] {
  return Array.isArray(value) && listOf(isRecord)(value) ? value.filter((each) => check(each)) : [];
}

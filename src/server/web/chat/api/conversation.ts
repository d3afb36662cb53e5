import type { Citation, Mode } from "../../../../core/run/outcome.ts";
import { isRecord, toText } from "../../../../kit/json.ts";
import { modes } from "../../../../render/mode-names.ts";
import { conversationEntryShape, runEntryShape, sourceShape, turnShape } from "../../run/known-shapes.ts";
import { hasShape, type Shape } from "../../run/shape.ts";
import { type ModelKey, readRoles } from "./server-settings.ts";

export interface ConversationEntry {
  readonly id: string;
  readonly title: string;
  /** Holds ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly isPinned: boolean;
  /** Holds the words around what was searched for. */
  readonly match?: Match | undefined;
}

/** Holds an excerpt, with the place of the words that were searched for. */
export interface Match {
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
}

export type Feedback = "up" | "down";

/** Represents a question that is asked when the runs of its conversation have ended. */
export interface WaitingQuestion {
  readonly id: string;
  readonly message: string;
  /** Is empty until it is asked. */
  readonly runId: string;
  /** Is the ID that its run will have. */
  readonly reservedRunId: string;
  /** Is the run whose turn it follows, and undefined where none was named. */
  readonly afterRun: string | undefined;
  /** Says why it could not begin. It is empty where it only waits. */
  readonly problem: string;
  readonly files: readonly { readonly name: string }[];
}

/** Represents a turn in the tree of a conversation. Turns with the same parent are edits or other answers of each other. */
export interface TreeNode {
  /** Counts from 1. */
  readonly n: number;
  /** Is 0 for a first question. */
  readonly parent: number;
  readonly runId: string;
}

/** Names a branch by its last turn. */
export interface Branch {
  readonly branch: number;
  readonly tip: number;
}

export interface ConversationPage {
  readonly entries: readonly ConversationEntry[];
  /** Holds the start of the next page, and is undefined on the last one. */
  readonly next: number | undefined;
}

export interface RunEntry {
  readonly id: string;
  readonly conversationId: string;
  readonly question: string;
  readonly status: string;
  /** Is true when a question of the run waits for a person. */
  readonly waits: boolean;
  /** Holds ISO 8601, UTC. */
  readonly startedAt: string;
  /** Is the number of the turn that its question follows; undefined where the server does not say. */
  readonly parent?: number | undefined;
}

export interface Conversation {
  /** Is the mode of its last run. */
  readonly mode?: Mode | undefined;
  readonly models?: Readonly<Record<ModelKey, string>> | undefined;
  readonly turns: readonly {
    readonly question: string;
    readonly answer: string;
    readonly status?: string | undefined;
    readonly n?: number | undefined;
    readonly runId?: string | undefined;
    readonly rating?: Feedback | undefined;
    readonly files?: readonly KeptFile[] | undefined;
    /** Lists what was said to the run. */
    readonly messages?: readonly string[] | undefined;
  }[];
  /** Holds all turns of all branches. */
  readonly tree: readonly TreeNode[];
  readonly branches: readonly Branch[];
  readonly sources: readonly Citation[];
  readonly runs: readonly RunEntry[];
}

/** Describes a file that came with a question. */
export interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

/** Reads an entry of the list. The text of a missing field is empty. */
export function readEntry(value: unknown): ConversationEntry {
  const { conversation_id, title, updated_at, pinned, match } = isRecord(value) ? value : {};
  return {
    id: toText(conversation_id),
    title: toText(title),
    updatedAt: toText(updated_at),
    isPinned: pinned === true,
    match: readMatch(match),
  };
}

function readMatch(value: unknown): Match | undefined {
  if (!isRecord(value)) return undefined;
  return { excerpt: toText(value.excerpt), start: Number(value.start) || 0, end: Number(value.end) || 0 };
}

export function readWaiting(value: unknown): readonly WaitingQuestion[] {
  const { waiting } = isRecord(value) ? value : {};
  return (Array.isArray(waiting) ? waiting : []).flatMap((each) =>
    isRecord(each) && toText(each.reserved_run_id) !== ""
      ? [
          {
            id: toText(each.queue_id),
            message: toText(each.message),
            runId: toText(each.run_id),
            reservedRunId: toText(each.reserved_run_id),
            afterRun: toText(each.after_run) || undefined,
            problem: isRecord(each.error) ? toText(each.error.message) : "",
            files: listRecords(each.attachments).map(({ name }) => ({ name: toText(name) })),
          },
        ]
      : [],
  );
}

export function readConversationPage(value: unknown): ConversationPage {
  const { conversations, next_offset } = isRecord(value) ? value : {};
  const entries = readRecords(conversations, conversationEntryShape).map(readEntry);
  return { entries, next: typeof next_offset === "number" ? next_offset : undefined };
}

/** Reads the runs of a list in their order. */
export function readRuns(value: unknown): readonly RunEntry[] {
  const { runs } = isRecord(value) ? value : {};
  return readRecords(runs, runEntryShape).map(readRun);
}

/** Reads an entry of the list of runs. The text of a missing field is empty. */
export function readRun(each: Readonly<Record<string, unknown>>): RunEntry {
  return {
    id: toText(each.run_id),
    conversationId: toText(each.conversation_id),
    question: toText(each.question),
    status: toText(each.status),
    waits: each.waits === true,
    startedAt: toText(each.started_at),
    parent: typeof each.parent === "number" ? each.parent : undefined,
  };
}

export function readConversation(value: unknown): Conversation {
  const { turns, sources, mode, models, tree, branches } = isRecord(value) ? value : {};
  return {
    mode: modes.find((known) => known === mode),
    models: models === undefined ? undefined : readRoles(models, toText),
    turns: readRecords(turns, turnShape).map((turn) => ({
      question: toText(turn.question),
      answer: toText(turn.answer),
      status: toText(turn.status),
      n: typeof turn.n === "number" ? turn.n : undefined,
      runId: toText(turn.run_id) || undefined,
      rating: readRating(turn.feedback),
      files: readFiles(turn.attachments),
      messages: Array.isArray(turn.messages) ? turn.messages.map(toText) : [],
    })),
    tree: listRecords(tree).map(({ n, parent, run_id }) => ({
      n: Number(n),
      parent: Number(parent),
      runId: toText(run_id),
    })),
    branches: listRecords(branches).map(({ branch, tip }) => ({ branch: Number(branch), tip: Number(tip) })),
    sources: readRecords(sources, sourceShape).map(({ n, title, url }) => ({
      n: Number(n),
      title: toText(title),
      url: toText(url),
    })),
    runs: readRuns(value),
  };
}

function readRating(value: unknown): Feedback | undefined {
  const { rating } = isRecord(value) ? value : {};
  return rating === "up" || rating === "down" ? rating : undefined;
}

function readFiles(value: unknown): KeptFile[] {
  return listRecords(value).map(({ id, name, media_type, size }) => ({
    id: toText(id),
    name: toText(name),
    mediaType: toText(media_type),
    size: Number(size) || 0,
  }));
}

function listRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function readRecords(value: unknown, shape: Shape): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((entry) => hasShape(shape, entry)) : [];
}

import type { Citation, Mode } from "../../../../core/outcome.ts";
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
}

export interface Conversation {
  /** Is the mode of its last run. */
  readonly mode?: Mode | undefined;
  readonly models?: Readonly<Record<ModelKey, string>> | undefined;
  readonly turns: readonly {
    readonly question: string;
    readonly answer: string;
    readonly status?: string | undefined;
  }[];
  readonly sources: readonly Citation[];
  readonly runs: readonly RunEntry[];
}

export function readConversationPage(value: unknown): ConversationPage {
  const { conversations, next_offset } = isRecord(value) ? value : {};
  const entries = readRecords(conversations, conversationEntryShape).map((each) => ({
    id: toText(each.conversation_id),
    title: toText(each.title),
    updatedAt: toText(each.updated_at),
  }));
  return { entries, next: typeof next_offset === "number" ? next_offset : undefined };
}

/** Reads the runs of a list in their order. */
export function readRuns(value: unknown): readonly RunEntry[] {
  const { runs } = isRecord(value) ? value : {};
  return readRecords(runs, runEntryShape).map((each) => ({
    id: toText(each.run_id),
    conversationId: toText(each.conversation_id),
    question: toText(each.question),
    status: toText(each.status),
    waits: each.waits === true,
    startedAt: toText(each.started_at),
  }));
}

export function readConversation(value: unknown): Conversation {
  const { turns, sources, mode, models } = isRecord(value) ? value : {};
  return {
    mode: modes.find((known) => known === mode),
    models: models === undefined ? undefined : readRoles(models, toText),
    turns: readRecords(turns, turnShape).map(({ question, answer, status }) => ({
      question: toText(question),
      answer: toText(answer),
      status: toText(status),
    })),
    sources: readRecords(sources, sourceShape).map(({ n, title, url }) => ({
      n: Number(n),
      title: toText(title),
      url: toText(url),
    })),
    runs: readRuns(value),
  };
}

function readRecords(value: unknown, shape: Shape): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((entry) => hasShape(shape, entry)) : [];
}

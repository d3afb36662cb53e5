import type { RunEntryJson } from "../../core/schemas/run-schema.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { ListedRun } from "../../runs/followed-runs.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import type { ApiContext } from "./api-context.ts";

/** Limits a question in the list, in UTF-16 units. */
export const longestQuestion = 500;

/** Returns a run as a list shows it. */
export function toRunEntry({ queue }: Pick<ApiContext, "queue">, run: RunHandle | ListedRun): RunEntryJson {
  const { id, conversationId, question, outcome, startedAt, mode, after = null } = run;
  return {
    run_id: id,
    conversation_id: conversationId,
    question: truncate(question, longestQuestion),
    mode,
    parent: after,
    queue_id: queue.findByRun(id) ?? null,
    status: outcome?.status ?? "running",
    waits: "waits" in run ? run.waits : run.open !== undefined,
    started_at: new Date(startedAt).toISOString(),
  };
}

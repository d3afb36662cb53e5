import { LRUCache } from "lru-cache";
import type { DraftEvent } from "../../core/run/drafts.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { ErrorReport } from "../../kit/errors.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";

/** Represents a run that has failed. */
export interface LoggedFailure extends Pick<ErrorReport, "code" | "message"> {
  at: string;
  runId: string;
  owner: string | undefined;
}

/** Counts the calls of a tool. */
export interface ToolFigures {
  tool: string;
  calls: number;
  failed: number;
  totalMs: number;
  longestMs: number;
}

/** Remembers what went wrong in the runs of this process, and how long its tools take. */
export interface ProblemLog {
  handle(event: AgentEvent | DraftEvent, run: Pick<RunHandle, "id" | "caller">): void;
  countEnd(run: RunHandle): void;
  /** Returns the last failures, the newest first, and the tools, the slowest on average first. */
  read(): { failures: LoggedFailure[]; tools: ToolFigures[] };
}

const mostFailures = 100;
const mostTools = 500;

export function createProblemLog(): ProblemLog {
  const failures: LoggedFailure[] = [];
  const tools = new LRUCache<string, ToolFigures>({ max: mostTools });
  return {
    handle(event) {
      if (event.type !== "tool-end") return;
      const { tool, ok, elapsedMs, cached } = event;
      // What came from a cache says nothing of the tool.
      if (cached) return;
      const known = tools.get(tool) ?? { tool, calls: 0, failed: 0, totalMs: 0, longestMs: 0 };
      known.calls += 1;
      if (!ok) known.failed += 1;
      known.totalMs += elapsedMs;
      known.longestMs = Math.max(known.longestMs, elapsedMs);
      tools.set(tool, known);
    },
    countEnd({ id, caller, fault, snapshot }) {
      const { error } = snapshot();
      if (error === null) return;
      const { code, message } = fault ?? error;
      failures.unshift({ at: new Date().toISOString(), runId: id, owner: caller.owner, code, message });
      failures.splice(mostFailures);
    },
    read: () => ({
      failures: [...failures],
      tools: [...tools.values()].sort((one, other) => other.totalMs / other.calls - one.totalMs / one.calls),
    }),
  };
}

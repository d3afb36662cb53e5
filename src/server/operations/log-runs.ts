import type { Status } from "../../core/run/outcome.ts";
import { getMessage } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { LiveRun } from "../../runs/live/live-run.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";

/** Logs each run for programs that collect logs. The log never contains a word of the questions or answers. */
export interface RunLog {
  followRun(run: RunHandle): void;
  logEnd(run: LiveRun & Partial<Pick<RunHandle, "isMoved">>): void;
}

export function createRunLog(log: Log, locale: Locale): RunLog {
  /** Holds the runs whose start has not been logged. A run's trace and conversation have ids only once it is under way. */
  const unlogged = new Set<LiveRun>();

  function logStart(run: LiveRun): void {
    if (unlogged.delete(run)) log(say(locale, beginning), "info", toLogNames(run));
  }

  return {
    followRun(run) {
      unlogged.add(run);
      run.follow(() => logStart(run));
    },
    logEnd(run) {
      logStart(run);
      if (run.isMoved) {
        log(say(locale, moving), "info", toLogNames(run));
        return;
      }
      const { status, stop_reason, error, meta } = run.snapshot();
      log(say(locale, ending), levels[status], {
        ...toLogNames(run),
        status,
        stop_reason,
        elapsed_ms: meta.latency_ms,
        tokens: meta.total_tokens + (meta.agents?.total_tokens ?? 0),
        cost_usd: meta.cost_usd,
        tool_calls: meta.tool_calls_count,
        error: error?.code,
      });
    },
  };
}

/**
 * Writes a fault of the program to the operator's log: that which ended the run, or what was thrown while it was told. Nobody else
 * learns it.
 */
export function createFaultLog(log: Log, locale: Locale): (run: RunHandle, thrown?: unknown) => void {
  return (run, thrown) => {
    const cause = thrown === undefined ? run.fault?.message : getMessage(thrown);
    if (cause === undefined) return;
    const { run_id, trace_id } = run.snapshot();
    log(say(locale, describeFault(`${run_id}, trace_id ${trace_id}`, cause)), "error", toLogNames(run));
  };
}

function describeFault(name: string, cause: string): Text {
  return { zh: `运行 ${name} 出现内部错误：${cause}`, en: `internal error in the run ${name}: ${cause}` };
}

const levels: Partial<Record<Status, LogLevel>> = { failed: "error", partial: "warn" };

function toLogNames(run: LiveRun): LogFields {
  const { run_id, trace_id, conversation_id, meta } = run.snapshot();
  return {
    run_id,
    trace_id: trace_id || undefined,
    conversation_id: conversation_id || undefined,
    caller: run.caller.owner ?? "operator",
    mode: meta.mode,
  };
}

const beginning = { zh: "运行开始", en: "run began" };
const ending = { zh: "运行结束", en: "run ended" };
const moving = { zh: "运行由另一个进程继续", en: "run goes on in another process" };

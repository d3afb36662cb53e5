import type { StoredRuns } from "../../app/conversations/stored-runs.ts";
import type { TakenRun } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { RunService } from "../../runs/run-service.ts";
import type { Log } from "./log.ts";

export interface ResumptionOptions {
  storedRuns: Pick<StoredRuns, "listInterrupted" | "areShared" | "countNewer">;
  service: Pick<RunService, "resumer" | "entrance">;
  locale: Locale;
  log: Log;
  /** Is after how long the first look is taken if no request has caused it, in milliseconds. */
  lookAfterMs: number;
}

/** Is how often a server looks for runs of processes that have ended beside it, in milliseconds. */
const lookEveryMs = 30_000;

/** Is how often it does where several machines share the runs. */
const lookSharedEveryMs = 500;

/**
 * Goes on with the runs that a crash has interrupted, and tells the operator of those that are too old for that. Returns a function
 * that stops this.
 */
export function resumeInterrupted({ storedRuns, service, locale, log, lookAfterMs }: ResumptionOptions): () => void {
  const { resumer, entrance } = service;
  /** Is how many runs of a newer program the operator knows of. */
  let told = 0;

  async function reportNewer(): Promise<void> {
    const count = (await ignoreRejection(storedRuns.countNewer(), "the report about the store tells it")) ?? told;
    if (count > told) log(say(locale, describeNewer(count)), "warn");
    told = count;
  }

  async function begin(): Promise<void> {
    await resumer.resumeAll();
    const left = (await ignoreRejection(storedRuns.listInterrupted(), "the report about the store tells it")) ?? [];
    for (const { runId, lastAt, header, isOld } of left)
      if (isOld && header.entrance === entrance) log(sanitizeLine(say(locale, describeOld(runId, lastAt))), "warn");
    if (storedRuns.areShared) await reportNewer();
  }

  resumer.onTaken((runs) => {
    for (const isHandedOver of [true, false]) {
      const group = runs.filter((run) => (run.isHandedOver ?? false) === isHandedOver);
      if (group.length > 0) log(sanitizeLine(say(locale, describeTaken(group, isHandedOver))));
    }
  });
  const timer = setTimeout(() => void begin(), lookAfterMs).unref();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await resumer.look();
    isLooking = false;
  };
  const repeated = setInterval(() => void look(), storedRuns.areShared ? lookSharedEveryMs : lookEveryMs).unref();
  const telling = storedRuns.areShared ? setInterval(() => void reportNewer(), lookEveryMs).unref() : undefined;
  return () => {
    clearTimeout(timer);
    clearInterval(repeated);
    clearInterval(telling);
  };
}

function describeTaken(runs: readonly Pick<TakenRun, "runId">[], isHandedOver: boolean): Text {
  const names = runs.map(({ runId }) => runId).join(", ");
  const count = formatCount(runs.length, "run");
  return isHandedOver
    ? {
        zh: `接手了另一个副本移交的 ${runs.length} 个运行：${names}`,
        en: `took over ${count} that another replica handed over: ${names}`,
      }
    : {
        zh: `接手了另一个失去联系的副本的 ${runs.length} 个运行：${names}`,
        en: `took over ${count} of a replica that is gone: ${names}`,
      };
}

/** Says that this process has lost a run. */
export function describeLost(runId: string): Text {
  return {
    zh: `这里不再执行运行 ${runId}，由其他副本继续`,
    en: `the run ${runId} is no longer carried out here; another replica goes on with it`,
  };
}

function describeNewer(count: number): Text {
  return {
    zh: `有 ${count} 个运行由更新版本的 Duet 记录，此版本无法读取；它们会保留到有那个版本的副本启动`,
    en: `${formatCount(count, "run")} ${count === 1 ? "was" : "were"} recorded by a newer Duet, which this one cannot read; kept until a replica of that version starts`,
  };
}

function describeOld(runId: string, lastAt: string): Text {
  return {
    zh: `运行 ${runId} 在 ${lastAt} 之后因程序意外结束而中断，时间已久，没有自动继续；用同一个 Idempotency-Key 再次提问，或用它的 run_id 调用 agent_result，可以继续。`,
    en: `run ${runId} was interrupted after ${lastAt} when the program ended unexpectedly; that is too long ago for it to go on by itself. Asking again with the same Idempotency-Key, or agent_result with its run_id, goes on with it.`,
  };
}

import type { AgentTrace } from "../../core/run/trace.ts";
import type { RunEntry } from "../../core/store/conversations/entries.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { type Console, writeSafely } from "../console.ts";
import { nothingKept } from "../conversations/conversation-lines.ts";
import { renderTrace } from "./trace-lines.ts";

export interface TraceOptions {
  store: ConversationStore;
  /** Is true when runs are kept after the program exits. */
  isKept: boolean;
  console: Console;
  locale: Locale;
  output: "text" | "json";
  /** Shows whole thoughts, inputs and results, and the whole answer. */
  verbose: boolean;
}

/**
 * Shows what a run did: the one whose id is or begins with `run`, the last one when none is named. Throws when there is
 * no such run, or more than one.
 */
export async function runTrace(
  { store, isKept, console, locale, output, verbose }: TraceOptions,
  run?: string,
): Promise<number> {
  if (run?.trim() === "") throw invalidRunIdError(run);
  const trace = await findTrace(store, run);
  if (!trace) throw unknownRunError(run, isKept);
  if (output === "json") console.stdout.write(`${toSafeJson(trace, 2)}\n`);
  else for (const line of renderTrace(trace, { locale, verbose })) writeSafely(console.stdout, `${line}\n`);
  return 0;
}

/**
 * Finds the trace of the run whose id is or begins with `run`, or of the last run; undefined when there is none. Throws when
 * several ids begin with it.
 */
export async function findTrace(store: ConversationStore, run?: string): Promise<AgentTrace | undefined> {
  return (await store.trace(run)) ?? (run === undefined ? undefined : findTraceBy(store, run));
}

/** Returns undefined when no run's id begins with the text. Throws when several do. */
async function findTraceBy(store: ConversationStore, beginning: string): Promise<AgentTrace | undefined> {
  const [found, ...others] = await store.runs({ beginning });
  if (others.length > 0) throw ambiguousRunError(beginning, [found, ...others]);
  return found && store.trace(found.id);
}

function ambiguousRunError(beginning: string, found: readonly (RunEntry | undefined)[]): DuetError {
  const start = truncate(sanitizeLine(beginning), 100);
  const ids = found.map((run) => sanitizeLine(run?.id ?? "")).join(", ");
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `不止一个运行的编号以 ${start} 开头：${ids}`,
      en: `more than one run ID starts with ${start}: ${ids}`,
    },
  });
}

function invalidRunIdError(run: string): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `trace: ${JSON.stringify(run)} 不是运行的编号（不给出编号时显示最近一次运行）`,
      en: `trace: ${JSON.stringify(run)} is not a run ID (omit it to show the last run)`,
    },
  });
}

function unknownRunError(run: string | undefined, isKept: boolean): DuetError {
  const name = run && truncate(sanitizeLine(run), 100);
  if (!isKept)
    return new DuetError({
      code: "invalid_request",
      text: name
        ? { zh: `没有名为 ${name} 的运行`, en: `there is no run named ${name}` }
        : { zh: "没有保留任何运行", en: "no runs are saved" },
      hint: nothingKept,
    });
  return new DuetError({
    code: "invalid_request",
    text: name
      ? { zh: `没有名为 ${name} 的运行`, en: `there is no run named ${name}` }
      : { zh: "还没有任何运行", en: "there is no run yet" },
    hint: name
      ? { zh: "不给出编号时显示最近一次运行：duet trace", en: "Omit the ID to show the last run: duet trace" }
      : { zh: '先提一个问题：duet ask "…"', en: 'Ask something first: duet ask "…"' },
  });
}

import type { ConversationStore } from "../app.ts";
import { cutText } from "../core/cut-text.ts";
import { DuetError } from "../core/errors.ts";
import type { Locale } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";
import { type Console, writeSafely } from "./console.ts";
import { traceLines } from "./trace-lines.ts";

export interface TraceOptions {
  store: ConversationStore;
  console: Console;
  locale: Locale;
  output: "text" | "json";
  /** Whole thoughts, inputs, results and the whole answer. */
  verbose: boolean;
}

/** Shows what a run did, the last one when none is named. Throws when there is no such run. */
export async function runTrace(
  { store, console, locale, output, verbose }: TraceOptions,
  run?: string,
): Promise<number> {
  const trace = await store.trace(run);
  if (trace === undefined) throw noSuchRun(run);
  if (output === "json") console.stdout.write(`${printableJson(trace, 2)}\n`);
  else for (const line of traceLines(trace, { locale, verbose })) writeSafely(console.stdout, `${line}\n`);
  return 0;
}

function noSuchRun(run: string | undefined): DuetError {
  const name = run && cutText(printableLine(run), 100);
  return new DuetError({
    code: "invalid_request",
    text: name
      ? { zh: `没有名为 ${name} 的运行`, en: `there is no run named ${name}` }
      : { zh: "还没有任何运行", en: "there is no run yet" },
    hint: name
      ? { zh: "不给出编号时显示最近一次运行：duet trace", en: "Without a name the last run is shown: duet trace" }
      : { zh: '先提一个问题：duet ask "…"', en: 'Ask something first: duet ask "…"' },
  });
}

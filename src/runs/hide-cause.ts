import type { AgentTrace } from "../core/trace.ts";
import type { ErrorReport } from "../kit/errors.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";

/** An outcome, or a trace. */
interface Told {
  run_id: string;
  trace_id: string;
  error: ErrorReport | null;
}

/**
 * What a caller is told of a run that a fault of the program has ended: that it has, and by which id the operator finds it. The
 * cause, which may name this machine's files, is for the operator alone: it stands in the kept trace and in the log.
 */
export function hideCause<T extends Told>(told: T, locale: Locale): T {
  if (told.error?.code !== "internal") return told;
  // A run that never began has no trace.
  const name = told.trace_id === "" ? `run_id ${told.run_id}` : `trace_id ${told.trace_id}`;
  return { ...told, error: { code: "internal", message: say(locale, fault(name)), hint: say(locale, askOperator) } };
}

/** The same of a kept trace, in which the last step has the words of the error too. */
export function hideCauseInTrace(trace: AgentTrace, locale: Locale): AgentTrace {
  const told = hideCause(trace, locale);
  if (told === trace) return trace;
  const steps = trace.steps.map((step) =>
    step.error === trace.error?.message ? { ...step, error: told.error?.message } : step,
  );
  return { ...told, steps };
}

function fault(name: string): Text {
  return { zh: `服务器内部错误（${name}）。`, en: `Internal error of the server (${name}).` };
}

const askOperator: Text = {
  zh: "请把这个编号告诉运行此服务的人，原因在服务器的日志和运行记录中。",
  en: "Tell whoever runs this server that id: the cause stands in its log and in the trace.",
};

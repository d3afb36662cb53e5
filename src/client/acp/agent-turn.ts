import type { ToolContext } from "../../core/tools/tool.ts";
import { say } from "../../kit/locale.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { type AgentUpdate, mergeCall, type ReadCall } from "./read-update.ts";

/** Says why we have ended an agent's work on a question. */
export type TurnEnd = "too-much" | "tokens" | "cost";

/** Limits what an agent may use for one question. */
export interface TurnBudget {
  tokens: number;
  cost: number | undefined;
}

/** Holds the tokens in the window of a session, and the dollars of the whole of it, as far as the agent has told them. */
export interface ReportedUse {
  used?: number | undefined;
  cost?: number | undefined;
}

/** Follows the work of an agent on one question. */
export interface AgentTurn {
  /** Aborts when the work is to end: the caller's signal, or a limit. */
  readonly signal: AbortSignal;
  readonly end: TurnEnd | undefined;
  /** `size` is the length of the message that brought it. */
  handle(update: AgentUpdate, size: number): void;
  /** Returns what is known of a call. */
  findCall(id: string): ReadCall | undefined;
  /** Returns what the agent has said since its last call, or all that it said where that is nothing. */
  readonly text: string;
  /** Returns the dollars of this question, and undefined where the agent has told none. */
  readonly cost: number | undefined;
  /** Counts the tokens that came into the session's window, which are fewer than those that are billed. */
  readonly grown: number;
}

/** Limits what is taken of an agent for one question. Beyond that it is stopped. */
const limits = { characters: 1_000_000, size: 50_000_000, updates: 100_000, calls: 5000 };
/** Limits the steps that are shown. The others are worked through unseen. */
const mostSteps = 500;
const longestLine = 160;
/** Is how much of the end of a text is read to find its last line, in characters. */
const longestEnd = 1000;
/** Is the least time between two reports of what is being written, in milliseconds. */
const reportPauseMs = 300;

export interface AgentTurnOptions {
  context: Pick<ToolContext, "signal" | "progress" | "reportStep" | "writing" | "locale">;
  budget: TurnBudget;
  redactor: Redactor;
  /** Holds what the agent has told of its session before. What is not known of it is what the agent tells first. */
  before: ReportedUse;
}

export function createAgentTurn({ context, budget, redactor, before }: AgentTurnOptions): AgentTurn {
  const { redact } = redactor;
  const shown = redactor.openStream();
  const thoughts = redactor.openStream();
  const stop = new AbortController();
  const calls = new Map<string, ReadCall>();
  const counts = { characters: 0, size: 0, updates: 0, steps: 0 };
  let end: TurnEnd | undefined;
  let earlier = "";
  let current = "";
  /** Is the end of what is being written, as it is shown where nobody sees drafts. */
  let visible = "";
  let cost: number | undefined;
  const base = { ...before };
  let used = before.used ?? 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function endFor(why: TurnEnd): void {
    end ??= why;
    stop.abort(new Error(`the agent's work was ended: ${why}`));
  }

  function count(what: "characters" | "size" | "updates", more: number): void {
    counts[what] += more;
    if (counts[what] > limits[what]) endFor("too-much");
  }

  function report(line: string): void {
    counts.steps += 1;
    if (counts.steps > mostSteps) return;
    const short = toShortLine(redact(line), longestLine);
    if (context.reportStep) context.reportStep(short);
    else context.progress(short);
  }

  /** Shows the line that is being written, now and then. The start of what may become a secret is not part of `text`. */
  function reportWriting(text: string): void {
    const now = performance.now();
    const line = sanitizeLine(text.slice(-longestEnd).trimEnd().split("\n").at(-1) ?? "");
    if (line === "" || now - reportedAt < reportPauseMs) return;
    reportedAt = now;
    context.progress(toShortLine(redact(line), longestLine));
  }

  function write(text: string): void {
    current += text;
    if (context.writing) context.writing.write(shown.push(text));
    else {
      visible = `${visible}${shown.push(text)}`.slice(-longestEnd);
      reportWriting(visible);
    }
  }

  function endThought(): void {
    earlier += current;
    current = "";
    visible = "";
    const rest = shown.end();
    const { writing } = context;
    writing?.write(rest);
    writing?.endThought();
  }

  function handleCall(part: ReadCall): void {
    const known = calls.get(part.id);
    if (known === undefined && calls.size >= limits.calls) {
      endFor("too-much");
      return;
    }
    const call = mergeCall(known, part);
    calls.set(call.id, call);
    if (known === undefined) {
      endThought();
      report(`🔧 ${toTitle(call)}`);
    }
    const isOver = call.status === "completed" || call.status === "failed";
    if (isOver && known?.status !== call.status) report(`${call.status === "failed" ? "✗" : "✓"} ${toTitle(call)}`);
  }

  return {
    signal: AbortSignal.any([context.signal, stop.signal]),
    get end() {
      return end;
    },
    handle(update, size) {
      if (end !== undefined) return;
      count("updates", 1);
      // What calls bring is kept until the question is over.
      count("size", size);
      if (stop.signal.aborted) return;
      switch (update.type) {
        case "text":
          count("characters", update.text.length);
          return write(update.text);
        case "thought":
          return reportWriting(thoughts.push(update.text));
        case "call":
          return handleCall(update.call);
        case "plan": {
          const { done, total, current: step } = update;
          const line = say(context.locale, {
            zh: `计划 ${done}/${total}：${step}`,
            en: `plan ${done}/${total}: ${step}`,
          });
          return context.progress(toShortLine(redact(line), longestLine), done, total);
        }
        case "usage":
          used = update.used;
          base.used ??= used;
          base.cost ??= update.cost;
          // An agent tells the dollars of its whole session.
          if (update.cost !== undefined) cost = Math.max(cost ?? 0, update.cost - (base.cost ?? 0));
          if (used - base.used > budget.tokens) endFor("tokens");
          if (cost !== undefined && budget.cost !== undefined && cost > budget.cost) endFor("cost");
      }
    },
    findCall: (id) => calls.get(id),
    get text() {
      const last = current.trim();
      return redact(last === "" ? earlier.trim() : last);
    },
    get cost() {
      return cost;
    },
    get grown() {
      return Math.max(0, used - (base.used ?? used));
    },
  };
}

function toTitle({ title, kind, rawInput }: ReadCall): string {
  const shown = title ?? JSON.stringify(rawInput ?? {});
  return kind === undefined || kind === "other" ? shown : `${kind}: ${shown}`;
}

import { DuetError } from "../kit/errors.ts";
import { toText } from "../kit/json.ts";
import { createRandomHex } from "../kit/random.ts";

/**
 * Holds the position of a run in a chain of agents that call each other, and the budget that its caller leaves it. It is sent in
 * the `_meta` of a tool call, to and from downstream agents (docs/development/contract.md#mcp).
 */
export interface Chain {
  /** Counts the agents above this one; 0 for the one that a person or a host asks. */
  depth: number;
  /** Holds the time when the calling agent stops waiting, in milliseconds since 1970. */
  deadline?: number;
  /** Limits the tokens of the run. */
  budget?: number;
  /** Limits the cost in US dollars, and is absent when no calling agent has such a budget. */
  cost?: number;
  trace?: TraceContext | undefined;
}

/** Holds the W3C trace context (https://www.w3.org/TR/trace-context/): `traceparent`, and with it `tracestate` and `baggage`. */
export type TraceContext = Readonly<Record<string, string>>;

/**
 * Returns how much of the time that an agent above leaves is reserved, so that the answer reaches it before it stops listening:
 * at most half a second, and at most 4 %. All times are milliseconds.
 */
export function getWayBackMs(leftMs: number): number {
  return Math.min(500, leftMs * 0.04);
}

/**
 * Returns the part of that time, in milliseconds, that the request which waits for the run keeps for itself: the run ends before it, and
 * its end is reported instead of `running`.
 */
export function getReportMs(leftMs: number): number {
  return getWayBackMs(leftMs) / 5;
}

/** Limits the agents below the first one. A chain that is longer is a circle far more often than a wish. */
export const deepestChain = 3;

/** Returns how many agents are above a run: those that its caller tells, or those that our own process was started below, if more. */
export function countAgentsAbove(chain: Pick<Chain, "depth"> | undefined, config: { depth: number }): number {
  return Math.max(chain?.depth ?? 0, config.depth);
}

export function toChainMeta({ depth, deadline, budget, cost }: Chain): Record<string, number | undefined> {
  return { "duet/depth": depth, "duet/deadline": deadline, "duet/budget": budget, "duet/cost-budget": cost };
}

/** Reads what a caller says; what makes no sense counts as not said. */
export function readChainMeta(meta: Readonly<Record<string, unknown>> | undefined): Chain {
  return {
    depth: readWhole(meta?.["duet/depth"]) ?? 0,
    deadline: readWhole(meta?.["duet/deadline"]),
    budget: readWhole(meta?.["duet/budget"]),
    cost: readAmount(meta?.["duet/cost-budget"]),
    trace: readTraceContext(meta),
  };
}

function readWhole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

// Of version 00 nothing may follow; of later ones, what a dash divides from it.
const traceparent =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-[\x21-\x7e]*)?$/;
/** W3C recommends that receivers accept at least these lengths, in characters. */
const longest = { tracestate: 512, baggage: 8192 };

/** Returns the trace context in a `_meta`, and undefined when it has no valid one. */
export function readTraceContext(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  const parent = toText(meta?.traceparent);
  if (parent.length > 100 || !traceparent.test(parent)) return undefined;
  const more = Object.entries(longest)
    .map(([key, most]) => [key, toText(meta?.[key]), most] as const)
    .filter(([, text, most]) => text !== "" && text.length <= most && isHeaderText(text));
  return { traceparent: parent, ...Object.fromEntries(more) };
}

/** Returns 32 hexadecimal digits. */
export function getTraceId(trace: TraceContext | undefined): string | undefined {
  return traceparent.exec(trace?.traceparent ?? "")?.[1];
}

/**
 * Returns the trace context of an outgoing call within the trace `traceId`. It continues the caller's trace when that is the
 * same.
 */
export function createChildTrace(traceId: string, above: TraceContext | undefined): TraceContext {
  const isOne = getTraceId(above) === traceId;
  const flags = (isOne && traceparent.exec(above?.traceparent ?? "")?.[2]) || "01";
  return { ...(isOne ? above : {}), traceparent: `00-${traceId}-${createRandomHex().slice(0, 16)}-${flags}` };
}

function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Throws where a run of the agent may not begin: too deep, or with nothing to use. */
export function checkChain({ depth, budget, cost }: Chain = { depth: 0 }): void {
  if (depth > deepestChain) throw tooDeepError(depth);
  if (budget === 0 || cost === 0) throw nothingLeftError();
}

/** Returns the error for a run that is too deep, in words for the model that called it. */
export function tooDeepError(depth: number): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `智能体互相调用已达 ${depth} 层（最多 ${deepestChain} 层），可能形成了循环，这次没有执行。`,
      en: `This call is ${depth} agents deep (allowed: at most ${deepestChain}); agents may be calling each other in a loop, so it was not run.`,
    },
    hint: answerNow,
  });
}

/** Returns the error for a run whose caller has left it no tokens or no money. */
function nothingLeftError(): DuetError {
  return new DuetError({
    code: "quota",
    text: {
      zh: "调用方的智能体没有留下可用的 token 或费用，这次没有执行。",
      en: "The calling agent left no tokens or no budget for this call, so it was not run.",
    },
    hint: answerNow,
  });
}

const answerNow = {
  zh: "请不要再调用这个工具，用已有的信息直接回答。",
  en: "Do not call this tool again; answer from what is known.",
};

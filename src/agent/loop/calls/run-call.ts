import { createChildTrace } from "../../../core/chain.ts";
import type { Elicitation } from "../../../core/forms/elicitation.ts";
import type { ToolCall } from "../../../core/model/messages.ts";
import type { TextBilling } from "../../../core/model/turn-budget.ts";
import type { TurnReservation } from "../../../core/model/turn-charge.ts";
import { isApproval, isElicitationReply } from "../../../core/questions/stored-replies.ts";
import { createApprove, createElicit } from "../../../core/questions/user.ts";
import { getFailureKind } from "../../../core/tools/failure-kind.ts";
import { isRefusedCall } from "../../../core/tools/refused-call.ts";
import { isOfClient, type RunFacts, type Tool, type ToolContext, type ToolResult } from "../../../core/tools/tool.ts";
import { waitAbortable } from "../../../kit/async/timeout.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { say } from "../../../kit/locale.ts";
import { isMatch } from "../../../kit/text/match-pattern.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createAgentWriting } from "../../answer/agent-writing.ts";
import { getRemainingBudget } from "../../limits/reached-limit.ts";
import type { Budget } from "../../limits/sub-agents.ts";
import { toElicitationName, toQuestionName } from "../../record/recorded-steps.ts";
import { getDepth, type Run } from "../../run.ts";
import type { CallAllowance } from "./call-allowance.ts";
import {
  toFailedResult,
  toOverLimitResult,
  toStoppedResult,
  toUnknownOutcomeResult,
  toUnknownToolResult,
  toUnreadableArgumentsResult,
} from "./unrun-results.ts";

export interface CallOutcome {
  result: ToolResult;
  /** Is true when the call reached its tool, and the tool is one that counts. */
  ran: boolean;
  /** Is how long the call waited for others that may give their places back, in milliseconds. */
  queuedMs?: number;
  /** Holds how long the call waited for a person, in milliseconds. Is undefined when it did not get that far. */
  waitedMs?: number;
  /** Is true when the same call may be made once more. */
  mayRepeat?: boolean;
  /** Is true when the call was refused because no more calls are allowed. */
  isOverLimit?: boolean;
}

/** Runs a call, or returns why it was not run. Throws only where the run is another process's by now. */
export async function runCall(
  run: Run,
  call: ToolCall,
  callId: string,
  allowance: CallAllowance,
): Promise<CallOutcome> {
  const tool = run.services.catalog.findTool(call.name);
  if (!tool) return { result: toUnknownToolResult(run, call.name), ran: false };
  if (call.arguments === undefined) return { result: toUnreadableArgumentsResult(run.input, call), ran: false };
  // A search for tools does not count against the limit of tool calls.
  const counts = tool !== run.services.catalog.finder;
  // A call of the asking program's tools is held until all others are done, and can neither wait for them nor have them wait.
  const isHeld = isOfClient(tool);
  let place = counts ? allowance.reserve(isHeld) : undefined;
  const beganAt = performance.now();
  if (counts && !isHeld) place ??= await allowance.waitForPlace(run.services.clock.decideSignal);
  const queuedMs = performance.now() - beganAt;
  let isMade = false;
  try {
    if (run.services.clock.decideSignal.aborted) return { result: toStoppedResult(run), ran: false, queuedMs };
    if (counts && place === undefined)
      return { result: toOverLimitResult(run.input), ran: false, isOverLimit: true, queuedMs };
    if (run.services.record.isOpen(callId) && !isRepeatable(run, tool, call.arguments)) {
      isMade = true;
      run.state.statistics.addUnclearCall();
      return { result: toUnknownOutcomeResult(run.input, call.name), ran: counts };
    }
    // The process may have stood still since it recorded that the call is to be made.
    await run.services.record.confirm();
    const context = openCallContext(run, callId, {
      allowance,
      phase: tool.isAgent ? "delegate" : "decide",
      source: tool.source,
    });
    const { result, wasCutOff } = await runTool(run, tool, call.arguments, context);
    context.close(result.ok);
    if ((wasCutOff || isLost(result)) && !isRepeatable(run, tool, call.arguments))
      run.state.statistics.addUnclearCall();
    const isValid = result.error?.code !== "invalid_arguments";
    isMade = isValid && !isRefusedCall(result);
    return {
      result,
      ran: counts && isValid,
      queuedMs,
      waitedMs: context.getWaitedMs(),
      mayRepeat: tool.canRepeat?.(call.arguments),
    };
  } finally {
    place?.settle(isMade);
  }
}

/** Returns true where a call does no harm when it is made twice: its tool says so, or the configuration. */
function isRepeatable({ input }: Run, tool: Tool, args: JsonObject): boolean {
  return tool.canRepeat?.(args) === true || input.limits.repeatable.some((pattern) => isMatch(tool.name, pattern));
}

/** Returns true where nobody knows whether the call took effect. */
function isLost({ error }: ToolResult): boolean {
  return error !== undefined && (error.code === "outcome_unknown" || getFailureKind(error) === "lost");
}

/** Never throws. `wasCutOff` is true where the end of the run found the call in its tool, not waiting for a person's consent. */
async function runTool(
  run: Run,
  tool: Tool,
  args: JsonObject,
  context: CallContext,
): Promise<{ result: ToolResult; wasCutOff: boolean }> {
  try {
    const result = await waitAbortable(tool.run(args, context), context.signal);
    if (result.usage) run.state.subAgents.add(tool.source, result.usage, context.reserved);
    return { result, wasCutOff: false };
  } catch (thrown) {
    if (!context.signal.aborted) return { result: toFailedResult(run.input, thrown), wasCutOff: false };
    return { result: toStoppedResult(run), wasCutOff: !context.waitsForApproval() };
  }
}

interface CallContext extends ToolContext {
  /** Returns how long the call has waited for a person, in milliseconds. The tool is not charged for that time. */
  getWaitedMs(): number;
  /** Returns true where a person was asked whether the call may be made, and has not answered. */
  waitsForApproval(): boolean;
  /** Limits what a sub-agent may use for the call. */
  readonly reserved: Budget;
  close(isOk?: boolean): void;
}

interface CallOptions {
  allowance: CallAllowance;
  /** Names the time in which the call has to end. */
  phase: "decide" | "delegate";
  /** Is where the tool comes from. */
  source: string;
}

/** Drops what a tool reports after its call has ended: its events belong between `tool-start` and `tool-end`. */
export function openCallContext(run: Run, callId: string, { allowance, phase, source }: CallOptions): CallContext {
  const {
    services: { user, clock, record },
  } = run;
  const approve = createApprove(user, clock.callerSignal);
  const elicit = createElicit(user, clock.callerSignal);
  const reservation = run.state.subAgents.reserveBudget(
    getRemainingBudget(run.state, run.input.limits),
    run.input.answeredBy === undefined ? allowance.sideBySide : 0,
  );
  const writing = run.input.answeredBy === undefined ? undefined : createAgentWriting(run, 1);
  let open = true;
  let waitedMs = 0;
  let waits = 0;
  let began = 0;

  /** Waits for several answers at once are one wait. */
  async function waitFor<T>(answer: () => Promise<T>): Promise<T> {
    if (waits === 0) began = performance.now();
    waits += 1;
    try {
      return await answer();
    } finally {
      waits -= 1;
      if (waits === 0) waitedMs += performance.now() - began;
    }
  }

  let isUnanswered = false;
  let questions = 0;
  function countQuestion(): { name: string; isAnswer: typeof isApproval } {
    questions += 1;
    return { name: toQuestionName(callId, questions), isAnswer: isApproval };
  }

  const counts = new Map<string, number>();
  function createElicitationName(question: Elicitation): string {
    const first = toElicitationName(callId, question, 1);
    const n = (counts.get(first) ?? 0) + 1;
    counts.set(first, n);
    return toElicitationName(callId, question, n);
  }

  return {
    getWaitedMs: () => waitedMs,
    waitsForApproval: () => isUnanswered,
    reserved: reservation,
    signal: phase === "delegate" ? clock.delegateSignal : clock.decideSignal,
    locale: run.input.language,
    chain: {
      depth: getDepth(run.input) + 1,
      deadline: clock.deadline(phase),
      budget: reservation.tokens,
      cost: reservation.cost,
    },
    trace: createChildTrace(run.input.traceId, run.input.chain?.trace),
    approve:
      approve &&
      (async (request, withdrawn) => {
        if (!open) return undefined;
        isUnanswered = true;
        const reply = await waitFor(() => record.ask({ ...countQuestion(), ask: () => approve(request, withdrawn) }));
        isUnanswered = reply === undefined;
        return reply;
      }),
    elicit:
      elicit &&
      Object.assign(
        async (...question: Parameters<typeof elicit>) => {
          if (!open) return undefined;
          const asked = {
            name: createElicitationName(question[0]),
            isAnswer: isElicitationReply,
            mayBeWithdrawn: true,
            isInCall: true,
          };
          return waitFor(() => record.ask({ ...asked, ask: () => elicit(...question) }));
        },
        { person: elicit.person, owner: elicit.owner },
      ),
    owner: run.input.owner,
    sending: run.state.sending,
    billing: createTextBilling(run),
    facts: () => getFacts(run, allowance),
    call: { id: callId, runId: run.input.id, conversationId: run.input.conversation.id, mode: run.input.mode },
    remember: record.remember,
    progress(message, progress, total) {
      if (!open) return;
      run.services.emit({ type: "tool-progress", callId, message: sanitizeLine(message), progress, total });
    },
    reportStep(line) {
      if (open) run.services.emit({ type: "tool-progress", callId, message: sanitizeLine(line), isStep: true });
    },
    charge: (usage) => run.state.subAgents.add(source, usage, reservation),
    notice(code, message, level) {
      if (!open) return;
      run.services.emit({ type: "notice", level: level ?? "info", code, message: say(run.input.locale, message) });
    },
    writing: writing && {
      write: (text) => open && writing.write(text),
      endThought: () => open && writing.endThought(),
    },
    close(isOk = false) {
      open = false;
      writing?.end(isOk);
      reservation.release();
    },
  };
}

/** Texts for servers count like a turn of the function-call model, and none is written when the run has nothing left. */
function createTextBilling({ state, services: { budget }, input: { limits } }: Run): TextBilling {
  return {
    charge: (bill) => state.statistics.addAside("functionCall", bill),
    budget: {
      async reserve(turn) {
        const left = getRemainingBudget(state, limits);
        if (left.tokens <= 0 || (left.cost ?? 1) <= 0) throw nothingLeftForTextError();
        return budget?.reserve(turn) ?? unlimitedTurn;
      },
    },
  };
}

/** Is reserved where nothing is limited, and counts nothing. */
const unlimitedTurn: TurnReservation = { id: "", settle: async () => {}, settleWith: async () => {} };

function nothingLeftForTextError(): DuetError {
  return new DuetError({
    code: "quota",
    text: {
      zh: "本次运行的 token 或费用已用完，没有再为服务器写文本",
      en: "the run has no tokens or no money left, so no text was written for the server",
    },
  });
}

function getFacts(run: Run, allowance: CallAllowance): RunFacts {
  const {
    services: { catalog, clock },
    input: { limits },
  } = run;
  const { maxToolCalls, maxIterations } = limits;
  return {
    tools: [...catalog.tools.keys()],
    toolCallsLeft: allowance.left,
    maxToolCalls,
    maxIterations,
    leftMs: clock.leftMs("decide"),
    tokensLeft: getRemainingBudget(run.state, run.input.limits).tokens,
  };
}

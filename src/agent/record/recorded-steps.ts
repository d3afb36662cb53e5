import { hash } from "node:crypto";
import type { Elicitation } from "../../core/forms/elicitation.ts";
import type { ImagePart, MessageSources, TextPhase } from "../../core/model/messages.ts";
import type { FinishReason, Model, Turn, Usage } from "../../core/model/model.ts";
import type { RecordedStep } from "../../core/store/journal.ts";
import { isHookDecision, toCallHookName } from "../../core/tools/hook-decision.ts";
import type { ToolResult } from "../../core/tools/tool.ts";
import { DuetError, type ErrorCode, errorCodes } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Holds a model turn that has ended, with what it used in all its attempts. */
export interface RecordedTurn {
  usage: Usage;
  costs: readonly (number | null)[];
  /** Names the model that ran the turn, which the next process may not have in the same place. */
  model?: Pick<Model, "provider" | "model"> | undefined;
  elapsedMs: number;
  /** Is the turn with its calls, which are about to be made; absent where it failed. */
  turn?: Turn;
  /** Lists the IDs of the calls that are not made before a person has agreed; what they answer is recorded. */
  consentIds?: readonly string[] | undefined;
  failed?: FailedTurn;
  /** Says where the wire's signs of what follows stood in the text; absent where it gave none. */
  signs?: readonly TextSign[] | undefined;
  /** Is what the model turned out to read, in tokens, where it refused a request as too long; later requests are as short. */
  learnedBudget?: number | undefined;
}

export interface TextSign {
  /** Counts the UTF-16 units before it. */
  at: number;
  phase: TextPhase;
}

/** Divides a text before each sign. */
export function splitBySigns(
  text: string,
  signs: readonly TextSign[],
): { text: string; phase?: TextPhase | undefined }[] {
  const starts: { at: number; phase?: TextPhase }[] = signs[0]?.at === 0 ? [...signs] : [{ at: 0 }, ...signs];
  return starts
    .map(({ at, phase }, index) => ({ text: text.slice(at, starts[index + 1]?.at), phase }))
    .filter((piece) => piece.text !== "");
}

/** Holds why a turn failed, and what it had said by then. */
export interface FailedTurn {
  error: {
    code: ErrorCode;
    text: Text;
    hint?: Text | undefined;
    retryable: boolean;
    retryAfterMs?: number | undefined;
    status?: number | undefined;
  };
  text: string;
  finish?: FinishReason | undefined;
}

/** Holds what a call came to, as the models read it. */
export interface RecordedCall {
  result: ToolResult;
  /** Is the text as the models read it; absent where it is that of the result. */
  read?: string | undefined;
  /** Names the sources of the result; absent where it has none. */
  sources?: MessageSources | undefined;
  /** Names the images that the models see beside the text. */
  images?: readonly ImagePart[] | undefined;
  /** Is the number under which the whole text can be read on; absent where it was not cut. */
  number?: number | undefined;
  /** Names where the tool comes from; absent where there is no such tool. */
  source?: string | undefined;
  ran: boolean;
  isRepeated: boolean;
  isOverLimit: boolean;
  mayRepeat: boolean;
  elapsedMs: number;
}

/** A run reads only what it wrote, so these checks only recognise the values. */
export function isRecordedTurn(value: unknown): value is RecordedTurn {
  if (!isRecord(value) || !isRecord(value.usage) || !Array.isArray(value.costs)) return false;
  const { turn, failed } = value;
  if (isRecord(turn)) return isRecord(turn.message) && Array.isArray(turn.message.toolCalls);
  return isRecord(failed) && isRecord(failed.error) && typeof failed.text === "string";
}

/** Names the calls that are about to be made without a turn that asks for them. */
export interface RecordedIntent {
  callIds: readonly string[];
  consentIds: readonly string[];
}

export function isRecordedIntent(value: unknown): value is RecordedIntent {
  return isRecord(value) && Array.isArray(value.callIds) && Array.isArray(value.consentIds);
}

export function isRecordedCall(value: unknown): value is RecordedCall {
  return isRecord(value) && isRecord(value.result) && typeof value.result.text === "string";
}

/**
 * Returns the name under which a server's question during a call is recorded; `n` counts the same questions of the call. It follows
 * from the words: a server that is called again may ask in another order, or something else.
 */
export function toElicitationName(callId: string, question: Elicitation, n: number): string {
  return `${callId}:${question.kind}:${hash("sha256", JSON.stringify(question)).slice(0, 16)}:${n}`;
}

/** Returns the name under which the `n`th question about a call is recorded. */
export function toQuestionName(callId: string, n: number): string {
  return n === 1 ? callId : `${callId}:${n}`;
}

/**
 * Returns true for a call without a record that an earlier process may have run. A call that waits for a person has not run; one that a
 * person has agreed to may have. `known` maps the names of the steps to their records, and `asks` is true where the call needs consent
 * unless a hook has decided otherwise.
 */
export function canHaveRun(known: ReadonlyMap<string, RecordedStep>, callId: string, asks: boolean): boolean {
  const hooks = known.get(`${toCallHookName(callId)}:1`)?.data;
  const decided = isHookDecision(hooks) ? hooks.decision : undefined;
  const needsConsent = decided === "allow" ? false : asks || decided === "ask";
  for (let n = 1; ; n++) {
    const name = toQuestionName(callId, n);
    if (!known.has(`question:${name}`)) return n > 1 || !needsConsent;
    const answer = known.get(`answer:${name}`)?.data;
    const isYes = answer === "once" || answer === "conversation";
    if (!isYes) return false;
  }
}

/** Returns where the called tools come from, and the names of the tools that were asked for, of which a call may be under way. */
export function listCalledTools(steps: readonly RecordedStep[]): string[] {
  return steps.flatMap(({ data }) => {
    if (isRecordedCall(data)) return data.source === undefined || !data.ran ? [] : [data.source];
    return isRecordedTurn(data) ? (data.turn?.message.toolCalls.map(({ name }) => name) ?? []) : [];
  });
}

export function toFailedTurn(error: DuetError, said: string): FailedTurn {
  const { code, text, hint, retryable, retryAfterMs, status } = error;
  return { error: { code, text, hint, retryable, retryAfterMs, status }, text: said };
}

/** Returns the error of a recorded turn that failed. */
export function toTurnError(failed: FailedTurn | undefined): DuetError {
  const { code, text, retryable, hint, retryAfterMs, status } = failed?.error ?? unreadable;
  return new DuetError({
    code: errorCodes.includes(code) ? code : "internal",
    text,
    retryable,
    ...(hint && { hint }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status !== undefined && { status }),
  });
}

const unreadable: FailedTurn["error"] = {
  code: "internal",
  text: { zh: "一个模型回合的记录无法读取", en: "the record of a model turn cannot be read" },
  retryable: false,
};

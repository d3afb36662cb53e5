import {
  type FinishReason,
  type Model,
  type ModelRequest,
  type OnModelEvent,
  type Turn,
  withCall,
} from "../../src/core/model/model.ts";
import { sleep } from "../../src/kit/async/timeout.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { JsonObject } from "../../src/kit/json.ts";

/** One scripted turn: a text, calls, or both; an error is thrown; `hang` waits until it is aborted. */
export type ScriptedTurn =
  | string
  | ScriptedCall[]
  | {
      text?: string;
      reasoning?: string;
      calls?: ScriptedCall[];
      finish?: FinishReason;
      refusal?: string;
      tokens?: number;
    }
  | { error: DuetError; text?: string }
  | { hang: true; text?: string };

export interface ScriptedCall {
  id: string;
  name: string;
  /** An object, or the raw text of broken arguments. */
  input: JsonObject | string;
}

export interface ScriptedModel extends Model {
  /** What it was asked, turn by turn. */
  readonly requests: ModelRequest[];
}

/** A model that plays the given turns in order and fails when it is asked once more. */
export function scriptedModel(turns: ScriptedTurn[], name = "scripted"): ScriptedModel {
  const requests: ModelRequest[] = [];
  return withCall({
    provider: "fake",
    model: name,
    requests,
    async stream(request: ModelRequest, onEvent: OnModelEvent, signal: AbortSignal): Promise<Turn> {
      const turn = turns[requests.length];
      requests.push({ ...request, messages: [...request.messages] });
      signal.throwIfAborted();
      if (turn === undefined) throw new DuetError({ code: "internal", text: both(`${name}: no turn is scripted`) });
      return play(normal(turn), onEvent, signal);
    },
  });
}

async function play(
  turn: Exclude<ScriptedTurn, string | ScriptedCall[]>,
  onEvent: OnModelEvent,
  signal: AbortSignal,
): Promise<Turn> {
  if ("reasoning" in turn && turn.reasoning) onEvent({ type: "reasoning-delta", text: turn.reasoning });
  for (const piece of (turn.text ?? "").match(/[\s\S]{1,4}/g) ?? []) onEvent({ type: "text-delta", text: piece });
  if ("error" in turn) throw turn.error;
  if ("hang" in turn) {
    await sleep(600_000, signal);
    throw new Error("a model that hangs was never stopped");
  }
  const calls = turn.calls ?? [];
  const tokens = turn.tokens ?? 10;
  return {
    message: {
      role: "assistant",
      content: turn.text ?? "",
      reasoning: turn.reasoning,
      toolCalls: calls.map(({ id, name, input }) => ({
        id,
        name,
        argumentsText: typeof input === "string" ? input : JSON.stringify(input),
        arguments: typeof input === "string" ? undefined : input,
      })),
    },
    finish: turn.finish ?? (calls.length > 0 ? "tool-calls" : "stop"),
    ...(turn.refusal !== undefined && { refusal: turn.refusal }),
    usage: { inputTokens: tokens, outputTokens: tokens, reasoningTokens: 0, cachedTokens: 0 },
  };
}

function normal(turn: ScriptedTurn): Exclude<ScriptedTurn, string | ScriptedCall[]> {
  if (typeof turn === "string") return { text: turn };
  return Array.isArray(turn) ? { calls: turn } : turn;
}

function both(text: string): { zh: string; en: string } {
  return { zh: text, en: text };
}

/** What a model was asked, without the line before it that tells the day. */
export function withoutDay(content: string): string {
  return content.replace(/^(?:Today is \d{4}-\d\d-\d\d \([^\n]*\)\.|今天是 \d{4}-\d\d-\d\d（[^\n]*）。)\n\n/, "");
}

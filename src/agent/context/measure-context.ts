import { toPlainText } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import { type Model, toModelName } from "../../core/model/model.ts";
import { createRunClock } from "../limits/run-clock.ts";
import { openRun, type RunParts } from "../open-run.ts";
import type { PromptName } from "../prompts/choose-prompt.ts";
import { toFolderMessages } from "../prompts/folder-messages.ts";
import { toAnswerValues } from "../prompts/prompt-values.ts";
import { createRunRecord } from "../record/run-record.ts";
import { canAnswerWhileDeciding, hasOneModel, type Run, type RunRequest } from "../run.ts";
import { countTokens, getContextWindow } from "./context-window.ts";
import { readStoredTurns } from "./recall.ts";
import { toTurnMessages } from "./turn-messages.ts";

/** Lists what a request consists of. `results` are those of tools in earlier turns. */
export const contextParts = ["prompts", "tools", "instructions", "history", "results"] as const;

/** Says what fills the window of a model in the first request of the next question. All sizes are estimates in tokens. */
export interface ContextUse {
  /** Is `provider/model`. */
  model: string;
  /** Is `both` where one model plays both roles. */
  role: "function_call" | "answer" | "both";
  window: number;
  /** Is true where the window is not known and this size is assumed. */
  isAssumed: boolean;
  parts: Record<(typeof contextParts)[number], number>;
}

export interface MeasureOptions {
  request: Pick<RunRequest, "mode" | "conversation" | "limits" | "locale" | "planPolicy" | "folderInstructions">;
  parts: Pick<RunParts, "models" | "store" | "prompts" | "tools" | "finding" | "folders">;
}

/** Measures the next request of each model, without asking one. */
export function measureContext({ request, parts }: MeasureOptions): ContextUse[] {
  const { signal } = new AbortController();
  const clock = createRunClock({ limits: request.limits, spentMs: 0, callerSignal: signal });
  try {
    const question = request.conversation.turns.at(-1)?.question ?? "";
    const record = createRunRecord({ clock, onFailure() {} });
    const run = openRun({ ...request, question }, parts, { question, clock, record, emit() {}, keepOutput() {} });
    const { functionCall, answer } = parts.models;
    if (hasOneModel(parts.models)) return [measureModel(run, functionCall, "both")];
    const uses = [measureModel(run, answer, "answer")];
    return request.mode === "chat" ? uses : [measureModel(run, functionCall, "function_call"), ...uses];
  } finally {
    clock.clear();
  }
}

function measureModel(run: Run, model: Model, role: ContextUse["role"]): ContextUse {
  const { input, services } = run;
  const { summary, turns } = readStoredTurns(run);
  const offered = role === "answer" || input.mode === "chat" ? [] : services.catalog.definitions();
  const messages = turns.flatMap((turn) => toTurnMessages(turn, input));
  const name = choosePrompt(run, role);
  const values = toAnswerValues(run, name, messages);
  const prompt = services.prompts.render(name, { model, locale: input.language }, values);
  const results = messages.filter(({ role: who }) => who === "tool");
  const words = messages.filter(({ role: who }) => who !== "tool");
  const countMessages = (some: readonly Message[]): number => countTokensOf(model, some.map(toCountedText).join("\n"));
  return {
    model: toModelName(model),
    role,
    window: getContextWindow(model),
    isAssumed: model.contextWindow === undefined,
    parts: {
      prompts: countTokensOf(model, prompt),
      tools: offered.length === 0 ? 0 : countTokensOf(model, JSON.stringify(offered)),
      instructions: countMessages(toFolderMessages(run)),
      history:
        countMessages(words) + countTokensOf(model, [summary?.text ?? "", ...(summary?.facts ?? [])].join("\n").trim()),
      results: countMessages(results),
    },
  };
}

function choosePrompt(run: Run, role: ContextUse["role"]): PromptName {
  if (run.input.mode === "chat") return "chat";
  if (role === "answer") return "answer";
  return canAnswerWhileDeciding(run) ? "decide-alone" : "decide";
}

function countTokensOf(model: Model, text: string): number {
  return text === "" ? 0 : countTokens(model, text);
}

function toCountedText(message: Message): string {
  const calls =
    message.role === "assistant" ? message.toolCalls.map(({ name, argumentsText }) => name + argumentsText) : [];
  return [toPlainText(message.content, "en"), ...calls].join("\n");
}

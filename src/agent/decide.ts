import { type DuetError, toDuetError } from "../core/errors.ts";
import type { Verdict } from "../core/events.ts";
import { say } from "../core/locale.ts";
import type { Message } from "../core/messages.ts";
import type { FinishReason, Turn } from "../core/model.ts";
import { act, type Observation, reachedTool } from "./act.ts";
import type { AnswerText } from "./answer-text.ts";
import { evaluate, explain, explainAnswered } from "./evaluate.ts";
import { fence } from "./fence.ts";
import { holdBack } from "./hold-back.ts";
import { decidePrompt } from "./prompts.ts";
import { hasOneModel, type Run } from "./run.ts";
import { takeTurn } from "./turn.ts";

/** What deciding and acting came to. */
export interface Work {
  observations: Observation[];
  iterations: number;
  reason: Extract<Verdict, { verdict: "answer" }>["reason"];
  /** How the last decide turn ended, when its text is already the answer (one model). */
  answered?: FinishReason;
  /** Why deciding ended early, although there are results to answer from. */
  error?: DuetError;
}

/**
 * The loop of deciding and acting. Ends with the reason to answer; throws only when it was cancelled, or when the
 * function-call model failed before there was any result.
 */
export async function decideAndAct(run: Run, answer: AnswerText): Promise<Work> {
  const messages: Message[] = [
    {
      role: "system",
      content: decidePrompt({
        locale: run.locale,
        conversation: run.conversation,
        twoModels: !hasOneModel(run.models),
      }),
    },
    ...run.conversation.history,
    { role: "user", content: run.question },
  ];
  const observations: Observation[] = [];
  const tools = [...run.tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  let toolCalls = 0;
  for (let iterations = 1; ; iterations++) {
    const work = (reason: Work["reason"], more: Partial<Work> = {}): Work => {
      const verdict: Verdict = { verdict: "answer", reason };
      const message = more.answered === "stop" ? explainAnswered(run.locale) : explain(verdict, run.limits, run.locale);
      run.emit({ type: "evaluation", ...verdict, message });
      return { observations, iterations, reason, ...more };
    };
    let turn: Turn;
    try {
      turn = await decideTurn(run, { messages, tools, step: iterations, answer });
    } catch (thrown) {
      if (run.cancelled.aborted) throw thrown;
      if (run.working.aborted) return work("time-limit");
      if (observations.length === 0) throw thrown;
      return work("model-decided", { error: noticeFailure(run, thrown) });
    }
    const calls = turn.message.toolCalls;
    if (turn.finish !== "tool-calls") {
      const cut = turn.finish !== "stop";
      const answered = hasOneModel(run.models) && turn.message.content.trim() !== "" ? turn.finish : undefined;
      return work(cut ? "turn-cut" : "model-decided", { answered });
    }
    const round = await act(run, calls, iterations, run.limits.maxToolCalls - toolCalls);
    run.cancelled.throwIfAborted();
    observations.push(...round);
    toolCalls += round.filter(reachedTool).length;
    messages.push(turn.message, ...round.map((observation) => toolMessage(run, observation)));
    const verdict = evaluate(
      {
        iterations,
        toolCalls,
        totalTokens: run.statistics.totalTokens(),
        outOfTime: run.working.aborted,
        observations: round,
      },
      run.limits,
    );
    if (verdict.verdict === "answer") return work(verdict.reason);
    run.emit({ type: "evaluation", ...verdict, message: explain(verdict, run.limits, run.locale) });
  }
}

interface DecideTurn {
  messages: Message[];
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
  step: number;
  answer: AnswerText;
}

/** With two models all text is thought; with one, the text of a turn without calls is the answer. */
async function decideTurn(run: Run, { messages, tools, step, answer }: DecideTurn): Promise<Turn> {
  const held = holdBack((text) => answer.push(text));
  const think = (text: string): void => run.emit({ type: "thought-delta", text });
  const turn = await takeTurn(run, {
    phase: "decide",
    step,
    role: "functionCall",
    model: run.models.functionCall,
    reason: say(run.locale, step === 1 ? firstReason : nextReason),
    request: { messages, tools },
    signal: run.working,
    onText: hasOneModel(run.models) ? held.push : think,
  });
  if (!hasOneModel(run.models)) return turn;
  if (turn.finish !== "tool-calls") {
    held.asAnswer();
    return turn;
  }
  const thought = held.asThought();
  if (thought !== "") think(thought);
  return turn;
}

const firstReason = { zh: "分析问题，决定是否需要工具", en: "reading the question and choosing tools" };
const nextReason = { zh: "查看结果，判断是否还需要工具", en: "reading the results and judging what is missing" };

function toolMessage(run: Run, { call, result, text }: Observation): Message {
  const content = fence(text, run.conversation.marker);
  return { role: "tool", callId: call.id, tool: call.name, content, ok: result.ok };
}

function noticeFailure(run: Run, thrown: unknown): DuetError {
  const error = toDuetError(thrown);
  const message = say(run.locale, {
    zh: `工具调用模型出错，基于已有结果回答：${error.text.zh}`,
    en: `The function-call model failed; answering from the results so far: ${error.text.en}`,
  });
  run.emit({ type: "notice", level: "warning", code: "decide-failed", message });
  return error;
}

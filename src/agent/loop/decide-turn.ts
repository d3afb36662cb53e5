import type { Message } from "../../core/model/messages.ts";
import { type ToolChoice, type ToolDefinition, type Turn, toModelName } from "../../core/model/model.ts";
import { followSignal } from "../../kit/async/timeout.ts";
import { say } from "../../kit/locale.ts";
import { canAnswerWhileDeciding, type Run, type RunServices } from "../run.ts";
import { answerMark } from "./turn/answer-mark.ts";
import { createAnswerStop } from "./turn/answer-stop.ts";
import { createDraft } from "./turn/draft.ts";
import { runTurn } from "./turn/run-turn.ts";
import { createTurnText, type TurnText } from "./turn/turn-text.ts";

interface DecideTurn {
  messages: Message[];
  tools: ToolDefinition[];
  step: number;
  /** Is true while there is no result to answer from. */
  isFirst: boolean;
  toolChoice: ToolChoice | undefined;
}

/** Runs one decide turn. With two models all its text is thought; with one, the text of a turn without calls is the answer. */
export async function decideTurn(run: Run, { messages, tools, step, isFirst, toolChoice }: DecideTurn): Promise<Turn> {
  const isOne = canAnswerWhileDeciding(run);
  const text = isOne ? openText(run, { messages, tools, step }) : undefined;
  const emitThought = (thought: string): void => run.services.emit({ type: "thought-delta", text: thought });
  const stop = isOne ? undefined : createAnswerStop(!isFirst);
  const time = text ? createFlowSignal(run.services, text) : { signal: run.services.clock.decideSignal, clear() {} };
  try {
    const turn = await runTurn(run, {
      phase: "decide",
      step,
      role: "functionCall",
      model: run.services.models.functionCall,
      reason: say(run.input.locale, step === 1 ? firstReason : nextReason),
      request: {
        messages,
        tools,
        maxTokens: isOne ? run.input.limits.maxTokens : undefined,
        toolChoice,
      },
      signal: time.signal,
      stopSignal: stop?.signal,
      onText(piece, origin) {
        if (text) text.push(piece, origin);
        else emitThought(piece);
        stop?.watch(piece, origin);
      },
      onEnd: (turn) => text && settle(run, turn, text, messages),
    });
    if (stop?.signal.aborted) noticeStopped(run);
    return turn;
  } catch (thrown) {
    // Half an answer is more than none, unless another turn is about to write a whole one.
    if (isFirst || run.services.clock.callerSignal.aborted) text?.asAnswer();
    else text?.asThought();
    throw thrown;
  } finally {
    time.clear();
  }
}

function openText(run: Run, { messages, tools, step }: Pick<DecideTurn, "messages" | "tools" | "step">): TurnText {
  return createTurnText({
    answer: (text) => run.state.answer.push(text),
    think: (text) => run.services.emit({ type: "thought-delta", text }),
    draft: createDraft(run, step),
    hasMark: isMarkAsked(messages),
    flowsAtOnce: tools.length === 0,
  });
}

/** A prompt of the user's own may ask for the mark, too, or leave it out. */
function isMarkAsked([system]: readonly Message[]): boolean {
  return system?.role === "system" && system.content.includes(answerMark);
}

/** Says what the text that is still held back was: a thought beside calls, or the end of the answer. */
function settle(run: Run, { finish, message }: Turn, text: TurnText, messages: readonly Message[]): void {
  if (finish === "tool-calls" && message.toolCalls.length > 0) {
    text.asThought();
    // A long thought that was already shown as answer stays there, set apart from what follows.
    if (text.isFlowing()) run.state.answer.push("\n\n");
    return;
  }
  text.asAnswer();
  run.state.answer.finish();
  if (finish === "stop" && isMarkAsked(messages))
    run.services.markHabits?.countAnswer(run.services.models.functionCall, text.isMarked());
}

/** Applies the time limit for deciding, and switches to the one for answering once the turn turns out to be the answer. */
function createFlowSignal(services: RunServices, text: TurnText): { signal: AbortSignal; clear(): void } {
  const turn = new AbortController();
  const unfollow = followSignal(turn, services.clock.answerSignal);
  const stop = (): void => {
    if (!text.isFlowing()) turn.abort(services.clock.decideSignal.reason);
  };
  services.clock.decideSignal.addEventListener("abort", stop, { once: true });
  if (services.clock.decideSignal.aborted) stop();
  return {
    signal: turn.signal,
    clear() {
      unfollow();
      services.clock.decideSignal.removeEventListener("abort", stop);
    },
  };
}

function noticeStopped({ input: { locale }, services: { emit, models } }: Run): void {
  const [from, to] = [toModelName(models.functionCall), toModelName(models.answer)];
  const message = say(locale, {
    zh: `${from} 开始写回答，已让它停下：回答由 ${to} 写。`,
    en: `${from} began to write the answer and was stopped: ${to} writes it.`,
  });
  emit({ type: "notice", level: "info", code: "decider-stopped", message, forLog: true });
}

const firstReason = { zh: "分析问题，决定是否需要工具", en: "reading the question and choosing tools" };
const nextReason = { zh: "查看结果，判断是否还需要工具", en: "reading the results and judging what is missing" };

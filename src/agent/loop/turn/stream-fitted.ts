import {
  type Model,
  type ModelEvent,
  type ModelRequest,
  type OnModelEvent,
  type Turn,
  toModelName,
} from "../../../core/model/model.ts";
import { DuetError } from "../../../kit/errors.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { countRequestTokens, getContextWindow, getRequestBudget } from "../../context/context-window.ts";
import type { FitOptions, FittedRequest } from "../../context/fit-request.ts";
import { fitRunRequest } from "../../context/fit-run-request.ts";
import type { RecordedTurn } from "../../record/recorded-steps.ts";
import type { LoopState, Run } from "../../run.ts";
import { hasRoomierModel, tooLongRequestError } from "./fallbacks.ts";

interface FittedTurn {
  model: Model;
  /** Lists the models that may take over from this one, of which one may read more. */
  others?: readonly Model[];
  request: ModelRequest;
  signal: AbortSignal;
}

/** Sets the share of a too long request that is sent on the second attempt. The size was an estimate, and the window a guess. */
const secondTry = 1 / 3;

/**
 * Streams a turn whose request was made to fit the model's window. If the model says that it is too long all the same, a
 * third of it is sent, once, and later requests of the run are as short from the start. Throws what the model throws, and
 * `context_overflow` instead of cutting words for which another model has room.
 */
export async function streamFitted(run: Run, turn: FittedTurn, onEvent: OnModelEvent): Promise<Turn> {
  const { model, signal, others = [] } = turn;
  const mayLeave = hasRoomierModel(others, model);
  const learned = run.state.windows.requestBudgets.get(model);
  const first = fitFirst(run, turn);
  if (first.cut === "words" && mayLeave) throw tooLongRequestError(model);
  noticeCut(run, model, first);
  let taken = false;
  const noteContent = (event: ModelEvent): void => {
    taken ||= event.type !== "notice" && event.type !== "spent";
    onEvent(event);
  };
  try {
    run.services.modelCalls?.handleRequest(first.request);
    return await model.stream(first.request, noteContent, signal);
  } catch (thrown) {
    const isTooLong = thrown instanceof DuetError && thrown.code === "context_overflow";
    if (!isTooLong || taken || mayLeave || learned !== undefined || signal.aborted) throw thrown;
    const smaller = Math.floor(countRequestTokens(model, first.request) * secondTry);
    const second = fitAgain(run, turn, smaller);
    if (second.cut === "nothing") throw thrown;
    noticeCut(run, model, second);
    run.services.modelCalls?.handleRequest(second.request);
    return await model.stream(second.request, onEvent, signal);
  }
}

/**
 * Shortens the request of a recorded turn as it was shortened when it was sent, because later requests begin with what was sent and
 * name results by the numbers that they got then.
 */
export function fitRecordedTurn(run: Run, turn: FittedTurn, { learnedBudget }: RecordedTurn): void {
  noticeCut(run, turn.model, fitFirst(run, turn));
  if (learnedBudget !== undefined) noticeCut(run, turn.model, fitAgain(run, turn, learnedBudget));
}

function fitFirst(run: Run, turn: FittedTurn): FittedRequest {
  const { model, request } = turn;
  const learned = run.state.windows.requestBudgets.get(model);
  const budget = learned ?? getRequestBudget(model, request);
  // A window that is only assumed is no reason to keep words from the model.
  const mayCutWords = learned !== undefined || model.contextWindow !== undefined;
  return fitTurn(run, turn, { budget, mayCutWords });
}

/** Fits a request that was too long to what its refusal has taught. */
function fitAgain(run: Run, turn: FittedTurn, budget: number): FittedRequest {
  run.state.windows.requestBudgets.set(turn.model, budget);
  return fitTurn(run, turn, { budget, mayCutWords: true });
}

function fitTurn(
  run: Run,
  { model, request }: FittedTurn,
  limits: Pick<FitOptions, "budget" | "mayCutWords">,
): FittedRequest {
  const made = fitRunRequest(run, { model, request }, limits);
  return { ...made, request: request.tools.length > 0 ? withReadingTool(run.state, made.request) : made.request };
}

/** Adds the reading tool to a request. The first request that was cut comes from a loop that did not know the tool yet. */
function withReadingTool({ results }: LoopState, request: ModelRequest): ModelRequest {
  const tool = results.findTool();
  if (tool === undefined || request.tools.some(({ name }) => name === tool.name)) return request;
  const { name, description, inputSchema } = tool;
  return { ...request, tools: [...request.tools, { name, description, inputSchema }] };
}

/** Emits each notice once per run. */
function noticeCut(run: Run, model: Model, { cut }: FittedRequest): void {
  if (cut === "nothing" || run.state.windows.noticed.has(cut)) return;
  run.state.windows.noticed.add(cut);
  const name = toModelName(model);
  const window = getContextWindow(model).toLocaleString("en");
  const size: Text =
    model.contextWindow === undefined
      ? {
          zh: `上下文窗口未知，按 ${window} 个 token 计`,
          en: `its context window is unknown; assuming ${window} tokens`,
        }
      : { zh: `上下文窗口 ${window} 个 token`, en: `its context window is ${window} tokens` };
  const message =
    cut === "results"
      ? {
          zh: `为 ${name} 缩短了较早的工具结果（${size.zh}）。`,
          en: `Earlier tool results were shortened for ${name} (${size.en}).`,
        }
      : {
          zh: `问题或对话对 ${name} 来说太长，只保留了开头和结尾（${size.zh}）。`,
          en: `The question or the conversation is too long for ${name}: only its beginning and end were kept (${size.en}).`,
        };
  const level = cut === "results" ? "info" : "warning";
  run.services.emit({ type: "notice", level, code: `${cut}-shortened`, message: say(run.input.locale, message) });
}

import { type Model, type ModelEvent, type ModelRequest, toModelName } from "../../core/model.ts";
import type { Notice } from "../../core/notice.ts";
import { DuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { countRequestTokens, getContextWindow, getRequestBudget } from "../context/context-window.ts";
import { type FitOptions, type FittedRequest, fitRequest } from "../context/fit-request.ts";
import type { Run } from "../run.ts";

export interface FittedTurn {
  model: Model;
  request: ModelRequest;
  signal: AbortSignal;
}

/** How much of a request that was too long is sent the second time: its size was an estimate, and the window a guess. */
const secondTry = 1 / 3;

/**
 * Streams a turn whose request was made to fit the model's window. If the model says that it is too long all the same, a
 * third of it is sent, once, and later requests of the run are as short from the start. Throws what the model throws.
 */
export async function* streamFitted(run: Run, turn: FittedTurn): AsyncGenerator<ModelEvent> {
  const { model, request, signal } = turn;
  const learned = run.windows.rooms.get(model);
  const room = learned ?? getRequestBudget(model, request);
  // A window that is only assumed is no reason to keep words from the model.
  const mayCutWords = learned !== undefined || model.contextWindow !== undefined;
  const first = fitted(run, turn, { room, mayCutWords });
  yield* tell(run, model, first);
  let taken = false;
  try {
    for await (const event of model.stream(first.request, signal)) {
      taken ||= event.type !== "notice" && event.type !== "spent";
      yield event;
    }
    return;
  } catch (thrown) {
    const isTooLong = thrown instanceof DuetError && thrown.code === "context_overflow";
    if (!isTooLong || taken || learned !== undefined || signal.aborted) throw thrown;
    const smaller = Math.floor(countRequestTokens(model, first.request) * secondTry);
    run.windows.rooms.set(model, smaller);
    const second = fitted(run, turn, { room: smaller, mayCutWords: true });
    if (second.cut === "nothing") throw thrown;
    yield* tell(run, model, second);
    yield* model.stream(second.request, signal);
  }
}

function fitted(
  run: Run,
  { model, request }: FittedTurn,
  limits: Pick<FitOptions, "room" | "mayCutWords">,
): FittedRequest {
  const readsOn = request.tools.length > 0;
  const shorten = (text: string, kept: number): string => run.results.shorten(text, kept, readsOn);
  const made = fitRequest(model, request, { ...limits, marker: run.marker, shorten });
  return { ...made, request: readsOn ? withReadingTool(run, made.request) : made.request };
}

/** The first request that had to be cut comes from a loop that did not know the tool yet. */
function withReadingTool({ results }: Run, request: ModelRequest): ModelRequest {
  const { tool } = results;
  if (tool === undefined || request.tools.some(({ name }) => name === tool.name)) return request;
  const { name, description, inputSchema } = tool;
  return { ...request, tools: [...request.tools, { name, description, inputSchema }] };
}

/** Each thing is told once a run. */
function* tell(run: Run, model: Model, { cut }: FittedRequest): Generator<Notice> {
  if (cut === "nothing" || run.windows.told.has(cut)) return;
  run.windows.told.add(cut);
  const name = toModelName(model);
  const window = getContextWindow(model).toLocaleString("en");
  const size: Text =
    model.contextWindow === undefined
      ? {
          zh: `上下文窗口未知，按 ${window} 个 token 计`,
          en: `its context window is not known; ${window} tokens are assumed`,
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
  yield { type: "notice", level, code: `${cut}-shortened`, message: say(run.locale, message) };
}

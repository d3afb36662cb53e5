import { listCalledTools } from "../../agent/record/recorded-steps.ts";
import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import type { AnswerForm } from "../../core/answer-form.ts";
import { toModelName } from "../../core/model/model.ts";
import { type InterruptedRun, mostEnds, type TakenRun } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import { openJsonObject, openOutputSchema } from "./answer-form.ts";
import type { AskRequest } from "./ask-request.ts";

/** Describes a run of an ended process that can go on. */
export interface ResumableRun extends InterruptedRun {
  /** Is true where it does not go on by itself any more, but only when somebody asks for it. */
  isOld: boolean;
}

/** Says of each run whether it goes on by itself. */
export function toResumable(run: InterruptedRun, { store }: Pick<Config, "store">, now = Date.now()): ResumableRun {
  const { lastAt, ageMs = now - Date.parse(lastAt) } = run;
  return { ...run, isOld: ageMs > store.resumeWithin * 1000 };
}

/** Returns the question of a run that goes on, as it was asked. */
export function toResumedRequest(taken: TakenRun): AskRequest {
  const { runId, owner, conversationId, header } = taken;
  const { question, mode, search, instruction, stop, toolChoice, chain, locale, isInteractive, goesOn } = header;
  const { tools, callerTools } = header;
  return {
    runId,
    caller: { owner, tools: callerTools },
    conversationId,
    question,
    mode,
    search,
    instruction,
    stop,
    toolChoice,
    locale,
    isInteractive,
    goesOn,
    after: header.after,
    ceilings: header.limits.ceilings,
    ...(tools && { tools }),
    ...(chain && { chain }),
    recording: { entrance: header.entrance, key: header.key, goesOnWith: header.goesOnWith },
    resumed: taken,
  };
}

/** Opens the form in which a run was asked to answer, and undefined where it was free. */
export async function reopenAnswerForm({
  header: { answerFormat },
}: Pick<TakenRun, "header">): Promise<AnswerForm | undefined> {
  if (answerFormat === undefined) return undefined;
  const place = { field: "output_schema", code: "invalid_request" } as const;
  return answerFormat.type === "json_schema" ? openOutputSchema(answerFormat.schema, place) : openJsonObject();
}

/** Opens the models with which a run began, or those in force where they can no longer be had. */
export async function openRunModels(models: Pick<ModelRegistry, "open">, { header }: TakenRun): Promise<Models> {
  const current = await models.open();
  const { functionCall, answer } = header.models;
  if (toModelName(current.functionCall) === functionCall && toModelName(current.answer) === answer) return current;
  const opening = models.open({ functionCall, answer });
  return (await ignoreRejection(opening, "the run goes on with the models in force")) ?? current;
}

/** Returns why a run must not go on although it can: it would end its process again, or a server has lost what it knew. */
export function findRefusal(
  { servers }: Pick<Config, "servers">,
  { ends, steps, isHandedOver }: TakenRun,
): DuetError | undefined {
  if (ends >= mostEnds) return endingError(ends);
  const called = listCalledTools(steps);
  const lost = servers.find(
    ({ name, stateful }) => stateful && called.some((one) => one === name || one.startsWith(`${name}__`)),
  );
  return lost && lostStateError(lost.name, isHandedOver);
}

function endingError(ends: number): DuetError {
  return new DuetError({
    code: "server",
    text: {
      zh: `程序在这次运行中连续 ${ends} 次意外结束，没有任何进展，不再继续`,
      en: `the program ended unexpectedly ${ends} times in a row during this run without any progress; it is not resumed again`,
    },
    hint: checkFirst,
  });
}

function lostStateError(server: string, isHandedOver = false): DuetError {
  const handedOverText: Text = {
    zh: `这次运行移交给了另一个进程，那里没有 MCP 服务器 ${server} 为它保存的状态，所以没有继续`,
    en: `this run was handed over to another process, which lacks the state of the MCP server ${server}, so it did not go on`,
  };
  return new DuetError({
    code: "server",
    text: isHandedOver
      ? handedOverText
      : {
          zh: `程序意外结束，MCP 服务器 ${server} 自身的状态已经丢失，这次运行没有继续`,
          en: `the program ended unexpectedly and the MCP server ${server} has lost its own state, so this run did not go on`,
        },
    hint: checkFirst,
  });
}

const checkFirst: Text = {
  zh: "请先确认它已经做了什么，再重新提问。",
  en: "Check what it has already done before you ask again.",
};

import { toModelName } from "../../core/model/model.ts";
import { canAskUser } from "../../core/questions/user.ts";
import type { QuestionKind } from "../../core/questions/user-question.ts";
import type { TakenRun } from "../../core/store/journal.ts";
import type { RecordedFacts, RunEnvironment } from "../open-run.ts";
import type { Run } from "../run.ts";
import type { UnresumedRun, UnresumedRunFacts } from "./interrupted-run.ts";

/** Returns what must not change where another process goes on with the run. */
export function toRecordedFacts({ input, services: { models, user } }: Run): RecordedFacts {
  const { id, question, mode, traceId, marker, locale, language, instruction, search, isInteractive } = input;
  const { limits, planPolicy, chain, conversation, goesOn, goesOnWith } = input;
  return {
    runId: id,
    conversationId: conversation.id,
    question,
    mode,
    traceId,
    marker,
    locale,
    language,
    instruction,
    folderInstructions: input.folderInstructions,
    search,
    answerFormat: input.answerForm?.format,
    stop: input.stop,
    toolChoice: input.toolChoice,
    isInteractive,
    goesOn,
    goesOnWith,
    limits,
    planPolicy,
    chain,
    attached: input.attached,
    models: { functionCall: toModelName(models.functionCall), answer: toModelName(models.answer) },
    turns: conversation.turns.length,
    sources: input.sources,
    results: input.results,
    summary: conversation.summary,
    asks: questionKinds.filter((kind) => canAskUser(user, kind)),
  };
}

const questionKinds = ["call", "plan", "form", "url", "limit"] as const satisfies QuestionKind[];

/** Returns what an earlier process has chosen for the run. */
export function toChosen({
  header: { traceId, language, marker, sources, results = 0 },
  begunAt,
}: TakenRun): RunEnvironment["chosen"] {
  return { traceId, language, marker, sources, results, begunAt: Date.parse(begunAt) };
}

/** Returns how a run ends that was taken and does not go on, with what its records say of it. */
export async function readTakenRun(taken: TakenRun, facts: UnresumedRunFacts): Promise<UnresumedRun> {
  const { readUnresumedRun } = await import("./interrupted-run.ts");
  return readUnresumedRun(taken, facts);
}

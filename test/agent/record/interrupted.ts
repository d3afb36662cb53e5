import type { AgentEvent } from "../../../src/core/events.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { RecordedStep, RunHeader, TakenRun } from "../../../src/core/store/journal.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runOptions, streamRun } from "../../fakes/run.ts";

/** What the two models of a run say, in the order in which each is asked. They are one where `answer` is absent. */
export interface Script {
  decide: ScriptedTurn[];
  answer?: ScriptedTurn[] | undefined;
}

export interface PlayedRun {
  events: AgentEvent[];
  steps: RecordedStep[];
  header: RunHeader;
  /** Holds what each model was asked, turn by turn. */
  asked: { decide: Message[][]; answer: Message[][] };
}

type Setting = Omit<Overrides, "models">;

const begunAt = "2026-11-26T00:00:00.000Z";

/** Runs a script to its end, and keeps what was recorded in the order in which it was. */
export async function play(script: Script, setting: Setting, resumed?: Pick<PlayedRun, "steps" | "header">) {
  const steps: RecordedStep[] = [];
  let header = resumed?.header;
  const journal = {
    runId: "run-1",
    async add(step: Omit<RecordedStep, "at">) {
      steps.push(JSON.parse(JSON.stringify({ ...step, at: begunAt })));
    },
    async addEvents() {},
    async forbid() {},
  };
  const taken: TakenRun | undefined = resumed && {
    runId: "run-1",
    owner: undefined,
    conversationId: "conv-1",
    header: resumed.header,
    begunAt,
    lastAt: begunAt,
    ends: 0,
    steps: resumed.steps,
    events: [],
    journal,
  };
  const models = open(script);
  const options = await runOptions({
    id: "run-1",
    conversationId: "conv-1",
    ...setting,
    store: setting.store ?? createMemoryStore(),
    models,
    recording: {
      taken,
      async begin({ runId, conversationId, ...known }) {
        header = { ...known, entrance: "library" };
        return journal;
      },
    },
  });
  // The run itself has been stored meanwhile.
  const conversation = { ...options.request.conversation, turns: [], summary: undefined };
  const events = await Array.fromAsync(streamRun({ ...options, request: { ...options.request, conversation } }));
  if (header === undefined) throw new Error("the run was not recorded");
  return { events, steps, header, asked: { decide: listAsked(models.functionCall), answer: listAsked(models.answer) } };
}

function open({ decide, answer }: Script): { functionCall: ScriptedModel; answer: ScriptedModel } {
  const functionCall = scriptedModel(decide, "one");
  return { functionCall, answer: answer ? scriptedModel(answer, "two") : functionCall };
}

function listAsked({ requests }: ScriptedModel): Message[][] {
  return requests.map(({ messages }) => messages);
}

/** Returns what is left of a script when these steps are recorded. */
export function leaveOut(script: Script, steps: readonly RecordedStep[]): Script {
  const names = steps.map(({ name }) => name);
  const answered = names.filter((name) => name.startsWith("turn:answer:")).length;
  const decided = names.filter((name) => name.startsWith("turn:")).length - (script.answer ? answered : 0);
  return { decide: script.decide.slice(decided), answer: script.answer?.slice(answered) };
}

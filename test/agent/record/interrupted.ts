import { createRunFiles, listHashes, type StoredBytes } from "../../../src/core/files/run-files.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { NewStep, RecordedStep, RunHeader, TakenRun } from "../../../src/core/store/journal.ts";
import type { DuetError } from "../../../src/kit/errors.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runOptions, streamRun } from "../../fakes/run.ts";

/** What the two models of a run say, in the order in which each is asked. They are one where `answer` is absent. */
export interface Script {
  decide: ScriptedTurn[];
  answer?: ScriptedTurn[] | undefined;
  /** Is what the fallback of both says. */
  fallback?: ScriptedTurn[] | undefined;
}

export interface PlayedRun {
  events: AgentEvent[];
  steps: RecordedStep[];
  header: RunHeader;
  /** Holds the bytes that were recorded. */
  files: StoredBytes[];
  /** Lists the images that a model was shown and whose bytes it could not read. */
  unread: string[];
  /** Holds what each model was asked, turn by turn. */
  asked: { decide: Message[][]; answer: Message[][]; fallback: Message[][] };
}

type Setting = Omit<Overrides, "models">;

/** Is what an earlier process has left of a run. */
export interface LeftRun extends Pick<PlayedRun, "steps" | "header" | "files">, Pick<TakenRun, "isHandedOver"> {
  /** Says why it must not go on. */
  refusal?: DuetError | undefined;
}

/** The day stands in what models are asked: a run that goes on has that of its beginning, which is today here. */
const begunAt = new Date().toISOString();

/** Runs a script to its end, and keeps what was recorded in the order in which it was. */
export async function play(script: Script, setting: Setting, resumed?: LeftRun) {
  const steps: RecordedStep[] = [];
  const files = [...(resumed?.files ?? [])];
  let header = resumed?.header;
  const journal = {
    runId: "run-1",
    async add({ files: named = [], ...step }: NewStep) {
      steps.push(JSON.parse(JSON.stringify({ ...step, at: begunAt })));
      files.push(...named);
      return undefined;
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
    isHandedOver: resumed.isHandedOver,
    steps: resumed.steps,
    events: [],
    files: resumed.files,
    journal,
  };
  const models = open(script);
  const options = await runOptions({
    id: "run-1",
    conversationId: "conv-1",
    ...setting,
    attached: resumed?.header.attached ?? setting.attached,
    files: resumed ? createRunFiles() : setting.files,
    store: setting.store ?? createMemoryStore(),
    models,
    refusal: resumed?.refusal,
    recording: {
      taken,
      async begin({ runId, conversationId, ...known }, named) {
        files.push(...named);
        header = { ...known, entrance: "library" };
        return journal;
      },
    },
  });
  // The run itself has been stored meanwhile.
  const conversation = { ...options.request.conversation, turns: [], summary: undefined, results: undefined };
  const events = await Array.fromAsync(streamRun({ ...options, request: { ...options.request, conversation } }));
  if (header === undefined) throw new Error("the run was not recorded");
  const unread = [...(await listUnread(models.functionCall)), ...(await listUnread(models.answer))];
  return {
    events,
    steps,
    header,
    files,
    unread,
    asked: {
      decide: listAsked(models.functionCall),
      answer: listAsked(models.answer),
      fallback: listAsked(models.other),
    },
  };
}

function open({ decide, answer, fallback }: Script) {
  const functionCall = scriptedModel(decide, "one");
  const other = { ...scriptedModel(fallback ?? [], "three"), cost: () => 0.5 };
  const fallbacks = fallback && { functionCall: [other], answer: [other] };
  return { functionCall, answer: answer ? scriptedModel(answer, "two") : functionCall, fallbacks, other };
}

async function listUnread({ requests }: ScriptedModel): Promise<string[]> {
  const unread: string[] = [];
  for (const { messages, files } of requests)
    for (const { content } of messages)
      for (const hash of typeof content === "string" ? [] : content.flatMap(listHashes))
        if ((await files?.read(hash)) === undefined) unread.push(hash);
  return unread;
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

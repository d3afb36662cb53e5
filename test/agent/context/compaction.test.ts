// What a conversation still knows after its turns were put into a summary, whatever the summary says.
import { describe, expect, test } from "vitest";
import { collectFacts } from "../../../src/agent/context/conversation-facts.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import {
  type Model,
  type ModelRequest,
  noUsage,
  type OnModelEvent,
  type Turn,
  withCall,
} from "../../../src/core/model/model.ts";
import type { TurnStep } from "../../../src/core/store/conversations/conversation.ts";
import type { ConversationStore } from "../../../src/core/store/store.ts";
import { estimateMessageTokens } from "../../../src/providers/estimate-tokens.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

/** Returns numbers from 0 to 1 that are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

interface Planted {
  /** Is what the person says. */
  said: string;
  /** Is what must not be lost of it. */
  wanted: string;
}

const people = ["Marta Vidal", "Jonas Okoro", "Ines Carvalho", "Pavel Novak", "林小雨", "Siobhan Kelly"];
const towns = ["Ghent", "Porto", "Tampere", "Leipzig", "Bergen", "Nantes"];
const databases = ["PostgreSQL", "SQLite", "MariaDB", "DuckDB", "CockroachDB", "ClickHouse"];

/** Lists what one conversation has to remember: a name, a number, a decision, an open question and a file, in two languages. */
function plant(random: () => number): Planted[] {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const number = String(10_000 + Math.floor(random() * 89_999));
  const budget = String(100 + Math.floor(random() * 899));
  const [person, town, base] = [pick(people), pick(towns), pick(databases)];
  const file = `figures-${Math.floor(random() * 90) + 10}.csv`;
  return [
    { said: `By the way, the contact at the customer's is ${person}. Please be brief.`, wanted: person },
    { said: `Their contract has the number ${number}. What else do you need?`, wanted: number },
    { said: `We decided to use ${base}. Go on with the next part.`, wanted: base },
    { said: `It is still open who pays for the office in ${town}. Let us talk about something else.`, wanted: town },
    { said: `The figures are in ${file}. We need them later.`, wanted: file },
    { said: `预算定为${budget}万元，不要超过。接着说下一部分。`, wanted: `${budget}万元` },
  ];
}

/** A model that says the same of every conversation, and then answers. */
function forgetful(requests: ModelRequest[]): Model {
  const facts = { provider: "fake", model: "forgetful", contextWindow: 24_000 };
  return withCall({
    ...facts,
    countTokens: (messages: readonly Message[]) => estimateMessageTokens(messages),
    async stream(request: ModelRequest, onEvent: OnModelEvent): Promise<Turn> {
      requests.push(request);
      const isSummary = toPlainText(request.messages[0]?.content ?? "", "en").includes("Condense the conversation");
      const isZh = toPlainText(request.messages[0]?.content ?? "", "en").includes("压缩成要点");
      const content = isSummary || isZh ? "They talked about many things." : "Yes.";
      onEvent({ type: "text-delta", text: content });
      return {
        message: { role: "assistant", content, toolCalls: [] },
        finish: "stop",
        usage: { ...noUsage, inputTokens: 10 },
      };
    },
  });
}

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ content }) => toPlainText(content, "en")).join("\n");
}

async function add(
  store: ConversationStore,
  id: string,
  turn: { question: string; answer: string; steps?: TurnStep[] },
) {
  const { trace } = await last(store);
  const runId = `run-${id}-${turn.question.slice(0, 20)}-${Math.random()}`;
  await store.append({ conversationId: id, runId, turn, trace: { ...trace, run_id: runId }, marker: "abcd1234" });
}

async function last(store: ConversationStore) {
  const trace = await store.trace();
  if (trace === undefined) throw new Error("there is no run yet");
  return { trace };
}

function listed(n: number): TurnStep {
  const call = { id: `c${n}`, name: "list_files", argumentsText: `{"folder":"f${n}"}`, arguments: { folder: `f${n}` } };
  const content = `<<<result abcd1234\nThe only file of f${n} is deep-${n}.txt.\nresult abcd1234>>>`;
  return {
    message: { role: "assistant", content: "", toolCalls: [call] },
    results: [{ role: "tool", callId: call.id, tool: call.name, content, ok: true, result: n }],
  };
}

const filler =
  "This is a long explanation that says nothing to be remembered, as explanations do when one asks for them. ";

describe("a conversation of 60 turns", () => {
  test.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
    "keeps what its last question needs, though no summary has it: %i",
    async (seed) => {
      const store = createMemoryStore();
      await runAll({ store, models: { functionCall: scriptedModel(["Hi."]), answer: scriptedModel(["Hi."]) } });
      const { id } = await store.create();
      const random = createRandom(seed);
      const planted = plant(random).map((one) => ({ ...one, at: Math.floor(random() * 45) }));
      const requests: ModelRequest[] = [];
      const model = forgetful(requests);
      const tools = [makeTool("list_files", () => ({ ok: true, text: "nothing" }))];
      const ask = (question: string) =>
        runAll({ store, conversationId: id, models: { functionCall: model, answer: model }, tools, question });
      const toolTurn = Math.floor(random() * 40) + 2;
      for (let turn = 0; turn < 60; turn++) {
        const own = planted.filter(({ at }) => at === turn).map(({ said }) => said);
        const question = [`Please go on with the part that comes next, in turn ${turn}.`, ...own].join(" ");
        const steps = turn === toolTurn ? { steps: [listed(turn)] } : {};
        await add(store, id, { question, answer: filler.repeat(4 + Math.floor(random() * 12)), ...steps });
        // It is compacted more than once on the way.
        if (turn % 20 === 19) await ask("Is all well so far?");
      }
      const events = await ask("What do you know?");
      const summaries = requests.filter(({ tools: offered }) => offered.length === 0);
      expect(summaries.length).toBeGreaterThan(1);
      const request = requests.at(-1);
      if (request === undefined) throw new Error("nothing was asked");
      const text = textOf(request);
      for (const { wanted } of planted) expect(text).toContain(wanted);
      expect(text).toMatch(new RegExp(`result ${toolTurn} \\(turn \\d+\\): list_files \\{"folder":"f${toolTurn}"\\}`));
      expect(request.tools.map(({ name }) => name)).toContain("read_result");
      expect(outcomeOf(events).status).toBe("complete");
    },
  );
});

test.each([
  ["What is in it?", [3], 'result 7 (turn 1, source [3]): list_files {"folder":"f7"}'],
  ["What is in it?", [3, 4], 'result 7 (turn 1, sources [3][4]): list_files {"folder":"f7"}'],
  ["里面有什么？", [3], '结果7（第 1 轮，来源 [3]）：list_files {"folder":"f7"}'],
])("the line of a result names its sources by their numbers: %s %j", (question, numbers, line) => {
  const { results, ...step } = listed(7);
  const steps = [{ ...step, results: results.map((result) => ({ ...result, sources: { numbers } })) }];
  expect(collectFacts([{ question, answer: "ok", steps }], { first: 1, known: [], locale: "en" })).toEqual([line]);
});

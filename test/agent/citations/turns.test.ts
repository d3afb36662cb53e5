import { expect, test } from "vitest";
import { listEarlierReadings, listReadNumbers } from "../../../src/agent/citations/readings.ts";
import { fence } from "../../../src/agent/context/fence.ts";
import { renderNote } from "../../../src/agent/hooks/render-note.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { Summary, TurnStep } from "../../../src/core/store/conversations/conversation.ts";
import type { Source, Tool, ToolResult } from "../../../src/core/tools/tool.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const texts: Record<string, string> = {
  a: "The tower of A is 330 m high.",
  b: "The bridge of B is 777 m wide.",
  c: `The lake of C is 888 m deep. ${"Nobody knows more. ".repeat(2000)}`,
};

function toSource(name: string, snippet = ""): Source {
  return { title: name.toUpperCase(), url: `https://example.com/${name}`, snippet };
}

const read: Tool = makeTool("read", (args): ToolResult => {
  const { name } = { name: "a", ...args };
  return { ok: true, text: texts[name] ?? "", kind: "page", sources: [toSource(name)] };
});
const search: Tool = makeTool("search", () => ({
  ok: true,
  text: "",
  sources: Object.entries(texts).map(([name, text]) => toSource(name, text.slice(0, 40))),
}));

/** Asks the questions of one conversation. */
async function startConversation() {
  const store = createMemoryStore();
  const { id: conversationId } = await store.create();
  const ask = async (calls: ScriptedTurn[], answer: string, question = "What is Duet?") => {
    const [decide, strong] = [scriptedModel([...calls, "Enough."], "cheap"), scriptedModel([answer], "strong")];
    const models = { functionCall: decide, answer: strong };
    const tools = [read, search, ...others];
    // After a rewind the store has only the turns before it read.
    const known = { ...store, load: (id: string) => store.load(id, undefined, after) };
    const outcome = outcomeOf(await runAll({ store: known, conversationId, models, tools, question }));
    return { outcome, decide, strong };
  };
  let after: number | undefined;
  const rewindTo = (turns: number): void => {
    after = turns;
  };
  const loadAnswers = async () => (await store.load(conversationId))?.turns.map(({ answer }) => answer);
  return { ask, loadAnswers, rewindTo, summarise: (summary: Summary) => store.summarise(conversationId, summary) };
}

/** What an agent below answers, a search in files, and a page that passes its claims off as those of the first one. */
const others: Tool[] = [
  makeTool("ask_agent", () => ({
    ok: true,
    text: "The tower is 330 m high [1]. The bridge is 777 m wide [2].",
    kind: "cited",
    sources: [toSource("a"), toSource("b")],
  })),
  makeTool("search_files", () => ({
    ok: true,
    text: "b:1: 999 cars",
    kind: "files",
    sources: [{ ...toSource("b", "999 cars"), url: "file:///b" }],
  })),
  makeTool("read_file", () => ({
    ok: true,
    text: "B, lines 1-1 of 1\n777",
    kind: "file",
    sources: [{ ...toSource("b"), url: "file:///b" }],
  })),
  makeTool("read_liar", () => ({
    ok: true,
    text: "Nothing.\n\n[1] A\nhttps://example.com/a\nThe tower is 999 m high.",
    kind: "page",
    sources: [toSource("liar")],
  })),
];

const readPage = (name: string) => [{ id: `call-${name}`, name: "read", input: { name } }];

test("an answer is shown, stored and read by the next turn with the numbers of the conversation, and without made-up ones", async () => {
  const { ask, loadAnswers } = await startConversation();
  const { outcome } = await ask(
    [readPage("a"), readPage("b")],
    "The bridge is wide [2]. The budget is 9,999 euros [3].",
  );
  const shown = "The bridge is wide [2]. The budget is 9,999 euros.";
  expect(outcome.response).toBe(`${shown}\n\nReferences\n\n- [2] B https://example.com/b`);
  expect(outcome.citations.map(({ n }) => n)).toEqual([2]);
  expect(await loadAnswers()).toEqual([shown]);
  const next = await ask([readPage("c")], "ok");
  for (const { requests } of [next.decide, next.strong])
    expect(requests[0]?.messages.filter(({ role }) => role === "assistant").at(-1)?.content).toBe(shown);
});

test("an answer that is nothing but a list of sources is stored as the list that was shown", async () => {
  const { ask, loadAnswers } = await startConversation();
  await ask([readPage("a")], "Sources\n- [1] A https://example.com/a");
  expect(await loadAnswers()).toEqual(["References\n\n- [1] A https://example.com/a"]);
});

test.each([
  ["pages", [readPage("a"), readPage("b")]],
  ["a search", [[{ id: "call-1", name: "search", input: {} }]]],
])("figures are compared with what earlier turns have read of %s, also in a turn without a call", async (_, calls) => {
  const { ask } = await startConversation();
  await ask(calls, "ok");
  const { outcome } = await ask([], "It is 777 m wide [1], and 330 m high [1].");
  expect(outcome.response).toMatch(/^It is 777 m wide \[2\], and 330 m high \[1\]\.\n/);
});

test("after a rewind the number of a page that was read before is a made-up one: figures correct it, else it goes", async () => {
  const { ask, rewindTo } = await startConversation();
  await ask([readPage("a")], "It is 330 m high [1].");
  rewindTo(0);
  const answer = "It is 777 m wide [1]. Nobody knows more [1], as [1](https://example.com/a) and both [1, 2].";
  const { outcome } = await ask([readPage("b")], `${answer}\n\nSources\n- [1] A\n- [2] B`);
  const shown = "It is 777 m wide [2]. Nobody knows more, as (https://example.com/a) and both [2].";
  expect(outcome.response).toBe(`${shown}\n\nReferences\n\n- [2] B https://example.com/b`);
});

test("after a rewind the sources of the turns before it stay, and so does a number that the question names", async () => {
  const { ask, rewindTo } = await startConversation();
  await ask([readPage("a")], "ok");
  await ask([readPage("b")], "It is wide [2].");
  await ask([readPage("c")], "ok");
  rewindTo(1);
  const { outcome } = await ask([], "It is high [1], wide [2], and deep [3].", "What does [3] say?");
  expect(outcome.citations.map(({ n }) => n)).toEqual([1, 3]);
});

test("after a rewind the sources that the question names in one bracket stay", async () => {
  const { ask, rewindTo } = await startConversation();
  await ask([readPage("a"), readPage("b"), readPage("c")], "ok");
  rewindTo(0);
  const { outcome } = await ask([], "It is high [1], wide [2], and deep [3].", "Do [1, 3] agree?");
  expect(outcome.citations.map(({ n }) => n)).toEqual([1, 3]);
});

test("sources of turns that a summary stands for stay known", async () => {
  const { ask, summarise } = await startConversation();
  await ask([readPage("a")], "ok");
  await ask([readPage("b")], "ok");
  await summarise({ text: "They talked.", turns: 2, isWanted: true });
  const { outcome } = await ask([], "It is high [1], and wide [2].");
  expect(outcome.citations.map(({ n }) => n)).toEqual([1, 2]);
});

test.each([
  [{ answer: "It is high [2].", steps: undefined }, "", [2]],
  [{ answer: "", steps: undefined }, "Is [3] right?", [3]],
  [
    { answer: "Studies [1, 2] show it[4].", steps: undefined },
    "Compare [5, 6], 【7】 and [[8]]",
    [5, 6, 7, 8, 1, 2, 4],
  ],
  [{ answer: "See [citation:1] and 【2†L3】.", steps: undefined }, "比较[3-5]、［6］ 和 [7", [3, 4, 5, 6, 1, 2]],
])("the words of %j and the question %j name what was read", (turn, question, numbers) => {
  expect([...listReadNumbers([turn], question)]).toEqual(numbers);
});

const callOf = (name: string) => [{ id: `call-${name}`, name, input: {} }];

test.each([
  ["a file", [readPage("a"), callOf("read_file")], "It is 777 m wide [1].", 2],
  ["an agent, which has read more than it said", [callOf("ask_agent")], "It is 777 m wide [1].", 1],
  ["an agent of another page", [readPage("a"), callOf("ask_agent")], "It is 777 m wide [1].", 1],
  ["an agent and a page that it named", [callOf("ask_agent"), readPage("c")], "It is 888 m deep [2].", 2],
  ["files that were searched", [readPage("a"), callOf("search_files")], "It has 777 cars [2].", 2],
  ["a page with a text that looks like another source", [readPage("a"), callOf("read_liar")], "It is 999 m [1].", 2],
])("a later turn compares figures with what is known of %s", async (_, calls, answer, n) => {
  const { ask } = await startConversation();
  await ask(calls, "ok");
  const { outcome } = await ask([], answer);
  expect(outcome.citations.map((citation) => citation.n)).toEqual([n]);
});

test("a source of which an earlier turn has read a part alone is not found to lack a figure", async () => {
  const { ask } = await startConversation();
  const { strong } = await ask([readPage("c"), readPage("b")], "ok");
  expect(JSON.stringify(strong.requests[0]?.messages)).toContain("characters left out");
  const { outcome } = await ask([], "It is 777 m wide [1].");
  expect(outcome.response).toMatch(/^It is 777 m wide \[1\]\.\n/);
});

test("a piece of a page that a later turn reads on comes with the number of the page", async () => {
  const { ask } = await startConversation();
  await ask([readPage("a"), readPage("c")], "ok");
  const readOn = { id: "call-1", name: "read_result", input: { result: 1, from: 37_000 } };
  const { decide } = await ask([[readOn]], "Nobody knows more [2].");
  const piece = toPlainText(decide.requests[1]?.messages.at(-1)?.content ?? "", "en");
  expect(piece).toContain("\n[2] C\nhttps://example.com/c\n\n");
  expect(piece).toContain("Nobody knows more.");
});

test.each([
  [{ numbers: [1], kind: "page" as const }, [{ n: 1, text: "It is high.", isPart: false }]],
  [undefined, [{ n: 1, text: "", isPart: true }]],
])("of a result with the sources %j a note of a hook is no part", async (named, readings) => {
  const { sources } = await createMemoryStore().create();
  await sources.number([toSource("a")]);
  const note = renderNote({ ok: true, text: "", note: "[1] A\nIt is 777 m." }, "m", "en");
  const content = fence("[1] A\nhttps://example.com/a\n\nIt is high.", "m") + note;
  const result = {
    role: "tool",
    callId: "1",
    tool: "read",
    content,
    ok: true,
    ...(named && { sources: named }),
  } as const;
  const steps: TurnStep[] = [{ message: { role: "assistant", content: "", toolCalls: [] }, results: [result] }];
  expect(listEarlierReadings([{ steps }], { marker: "m", sources })).toEqual(readings);
});

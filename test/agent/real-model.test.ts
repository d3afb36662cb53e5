import { expect, test } from "vitest";
import { createToolSearch } from "../../src/app/tools/tool-search.ts";
import { toPlainText } from "../../src/core/model/message-content.ts";
import { createBuiltinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { createPermissionCheck, withPermission } from "../../src/tools/permission-rules.ts";
import { makeTool, outcomeOf, verdictsOf } from "../fakes/events.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../fakes/model.ts";
import { realTools } from "../fakes/real-tools.ts";
import { runAll } from "../fakes/run.ts";
import { temporaryFiles } from "../tools/builtin/files.ts";

// Each model is scripted to do what a real one did with version 0.1.

const call = (name: string, input: Record<string, string>) => ({ id: `${name} ${JSON.stringify(input)}`, name, input });
const add = (number: number) => call("calculator", { expression: `${number}+1000` });

function createModels(decisions: ScriptedTurn[], answer: ScriptedTurn = "Done.") {
  return { functionCall: scriptedModel(decisions, "cheap"), answer: scriptedModel([answer], "strong") };
}

function readMessages({ requests }: ScriptedModel, request: number): string[] {
  return requests[request]?.messages.map(({ content }) => toPlainText(content, "en")) ?? [];
}

function openTools(root = ".") {
  return createBuiltinTools({ roots: [root], locale: "en", search: undefined });
}

test("thirteen calls at once: those that the limit refused are handed over by name and arguments", async () => {
  const numbers = Array.from({ length: 13 }, (_, index) => index);
  const models = createModels([[add(50)], numbers.map(add)]);
  const events = await runAll({ models, tools: openTools(), question: "The average of each month?" });

  expect(verdictsOf(events).at(-1)).toBe("answer tool-call-limit");
  expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
  const [, handed = ""] = readMessages(models.answer, 0);
  const [ran = "", unrun = ""] = handed.split("Calls that were not run:");
  expect(ran.match(/^### calculator/gm)).toHaveLength(5);
  expect(unrun.match(/^- calculator \{"expression":"\d+\+1000"\}: The limit of 5 tool calls/gm)).toHaveLength(9);
  expect(handed).not.toMatch(/^\d+\. /m);
});

test("a limit that is reached exactly, with nothing refused, makes no partial answer", async () => {
  const models = createModels([[1, 2, 3, 4].map(add), [add(5)]]);
  const events = await runAll({ models, tools: openTools() });
  expect(outcomeOf(events)).toMatchObject({ status: "complete", stop_reason: "answered" });
  expect(outcomeOf(events).notices).toMatchObject([
    { level: "info", code: "calls-used", message: "All 5 tool calls are used; agent.maxToolCalls allows more." },
  ]);
  expect(readMessages(models.answer, 0).join("\n")).not.toContain("ended early");
});

test.each([
  [
    "What is it?",
    "You have 5 tool calls in 5 rounds for each question.",
    ["Left for this question: 3 tool calls, 4 rounds.", "Left for this question: 1 tool call, 3 rounds."],
  ],
  [
    "是多少？",
    "每个问题可以调用 5 次工具，最多 5 轮。",
    ["这个问题还可以调用 3 次工具，还有 4 轮。", "这个问题还可以调用 1 次工具，还有 3 轮。"],
  ],
])(
  "the model that chooses tools reads its limits, and after each round what is left: %s",
  async (question, all, left) => {
    const models = createModels([[1, 2].map(add), [3, 4].map(add), "Enough."]);
    await runAll({ models, tools: openTools(), question });
    const messages = readMessages(models.functionCall, 2);
    expect(messages[0]).toContain(all);
    const said = messages.flatMap((text) => /^(?:Left|这个问题还可以).*$/m.exec(text) ?? []);
    expect(said).toEqual(left);
    // The first messages stay as they were, so that the caches of vendors hit.
    expect(messages.slice(0, 5)).toEqual(readMessages(models.functionCall, 1));
  },
);

test("a search for tools in vain and the closing note reach the model that writes the answer, the note fenced", async () => {
  const session = {
    reported: new Set<string>(),
    approved: new Set<string>(),
    refused: new Set<string>(),
    hooks: { source: "startup" } as const,
  };
  const rules = { allow: ["*"], deny: [], ask: [], searchAbove: 0.1 };
  const finding = await createToolSearch({ tools: rules }).open({ ...session, loaded: new Set() });
  const note = "There is no tool for mail, so nothing was sent to Li Na.";
  const models = createModels([[call("find_tools", { query: "qqzzq zzqqz" })], note]);
  await runAll({ models, tools: [...openTools(), ...realTools()], finding, question: "Mail report.md to Li Na" });
  const [prompt = "", handed = ""] = readMessages(models.answer, 0);
  expect(handed).toContain("No tool was found for:\n\n- qqzzq zzqqz");
  expect(handed).toMatch(
    /Note of the model that chose the tools \(it may be wrong\):\n\n<<<result (\w+)\nThere is no tool for mail.*\nresult \1>>>/,
  );
  expect(prompt).toContain("never say that something was sent, saved or changed unless a result says so");
});

const release = "Release 2.4 is planned for 2026-12-04.";

test("a citation by the place of a result in the list goes to the file whose figures the sentence has", async () => {
  await using files = await temporaryFiles({ "notes.md": release });
  const pages = [
    { title: "Node.js 26", url: "https://nodejs.org/26", snippet: "Node.js 26 becomes the LTS release in October." },
    { title: "Node.js 24", url: "https://nodejs.org/24", snippet: "Node.js 24 is supported until April 2028." },
  ];
  const search = makeTool("web_search", () => ({ ok: true, text: "", sources: pages }));
  const models = createModels(
    [[call("web_search", { query: "Node LTS" })], [call("read_file", { path: "notes.md" })], "Enough."],
    "Node.js 26 is the LTS release by then [1], the day release 2.4 is planned for [1].",
  );
  const events = await runAll({ models, tools: [...openTools(files.path), search], limits: { minResultLength: 0 } });
  expect(readMessages(models.answer, 0)[1]).toContain(`[3] notes.md, lines 1-1 of 1`);
  const { response, citations } = outcomeOf(events);
  expect(response).toContain("by then [1], the day release 2.4 is planned for [3].");
  expect(citations.map(({ title }) => title)).toEqual(["Node.js 26", "notes.md"]);
});

test("an answer after a call that nobody could consent to is not said to come from an early end", async () => {
  const mail = {
    name: "send",
    description: "Sends mail.",
    inputSchema: { type: "object" },
    source: "builtin",
  } as const;
  const send = { ...mail, annotations: {}, run: async () => ({ ok: true, text: "Sent." }) };
  const tool = withPermission(send, createPermissionCheck({ ask: ["send"] }));
  const models = createModels([[call("send", { to: "Li Na" })], "It was not sent."]);
  const events = await runAll({ models, tools: [tool], question: "Mail Li Na" });
  const [, handed = ""] = readMessages(models.answer, 0);
  expect(handed).toContain('Calls that were not run:\n\n- send {"to":"Li Na"}: Not run: send needs consent');
  expect(handed).toContain("Note: no tool call succeeded.");
  expect(handed).not.toMatch(/ended early|Tool results/);
  expect(outcomeOf(events).status).toBe("complete");
});

test("without a source nobody is told to cite, and a citation by the place of a result is taken out", async () => {
  const models = createModels([[add(1)], "Enough."], "It is 1001 [1].");
  const events = await runAll({ models, tools: openTools() });
  expect(readMessages(models.answer, 0)[0]).not.toMatch(/\[1\]| $/m);
  expect(outcomeOf(events)).toMatchObject({ response: "It is 1001.", citations: [] });
});

test.each([
  [
    "agent",
    ["/home/ada/work"],
    "Working folder: /home/ada/work. Readable folder: /home/ada/work (relative paths start there).",
  ],
  ["plan", ["/srv/a", "/srv/b"], "Working folder: /home/ada/work. Readable folders: /srv/a, /srv/b (use whole paths)."],
] as const)("in %s mode both models read where and when they work", async (mode, readable, where) => {
  const models = createModels([mode === "plan" ? '{"steps":[]}' : "Enough."]);
  const folders = { working: "/home/ada/work", readable };
  await runAll({ models, tools: openTools(), mode, folders, question: "Create archive in it" });
  // A question about the place needs no tool, so the model that answers must know it too.
  for (const model of [models.functionCall, models.answer]) {
    const [prompt = ""] = readMessages(model, 0);
    expect(prompt).toContain(where);
    const asked = toPlainText(model.requests[0]?.messages.at(-1)?.content ?? "", "en");
    expect(asked).toMatch(/^Today is \d{4}-\d\d-\d\d \(\w+day, time zone \S+\)\./);
  }
});

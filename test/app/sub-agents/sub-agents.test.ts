import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AskRequest } from "../../../src/app/ask/ask-request.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { Flags } from "../../../src/config/settings/settings.ts";
import { toUser } from "../../../src/core/questions/user.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { countedTool } from "../../fakes/callers.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { type FakeTurn, type JournalEntry, startFakeProvider } from "../../fakes/provider.ts";

const usage = { input: 900, output: 100 };
const researcher = {
  description: "Finds facts.",
  models: { functionCall: "openai/finder" },
  tools: ["lookup"],
  instructions: "Be brief, says the operator.",
  limits: { maxToolCalls: 2 },
};
const writer = { description: "Writes.", models: { functionCall: { provider: "openai", model: "writer" } }, tools: [] };

interface Setting {
  flags?: Flags;
  budgets?: Record<string, number>;
  serve?: Record<string, unknown>;
  agents?: Record<string, unknown>;
  tools?: readonly Tool[];
  rules?: Record<string, unknown>;
}

/** A Duet whose main model is `boss`, with the provider that plays all models. */
async function open({
  flags = {},
  serve = {},
  agents = { researcher, writer },
  tools = [countedTool("lookup")],
  rules = {},
  budgets = {},
}: Setting = {}) {
  const provider = await startFakeProvider();
  const home = await temporaryFolder();
  const folder = join(home, "duet");
  await mkdir(folder);
  const prices = Object.fromEntries(["boss", "finder", "writer"].map((model) => [model, { input: 1, output: 1 }]));
  const config = await loadConfig(flags, { OPENAI_API_KEY: "sk-test-openai-0001", XDG_CONFIG_HOME: home }, "/nowhere", {
    name: "test",
    settings: {
      models: { functionCall: { provider: "openai", model: "boss" } },
      providers: { openai: { baseUrl: provider.openaiUrl, prices } },
      conversations: { store: "memory" },
      locale: "en",
      tools: rules,
      agent: { budgets },
      serve,
      agents,
    },
  });
  const duet = await openDuet(config, { tools });
  onTestFinished(async () => {
    await duet.close();
    await provider.close();
  });
  const ask = (request: Partial<AskRequest> = {}) =>
    Array.fromAsync(duet.ask({ question: "What is new?", mode: "agent", ...request }));
  return { provider, duet, config, folder, ask, requestsOf: provider.requests };
}

function call(...calls: { name: string; arguments: object }[]): FakeTurn {
  return { toolCalls: calls, usage };
}

const toolNames = (entry: JournalEntry | undefined): string[] =>
  [entry?.body.tools ?? []].flat().map((tool) => JSON.stringify(tool).match(/"name":"([^"]+)"/)?.[1] ?? "");

test("the main agent asks two agents side by side; their steps are seen, and their bill is counted", async () => {
  const { provider, ask, requestsOf } = await open();
  const [toFinder, toWriter] = ["agent_researcher", "agent_writer"].map((name) => ({
    name,
    arguments: { message: `a task for ${name}` },
  }));
  if (!toFinder || !toWriter) throw new Error("no calls");
  provider.script("boss", call(toFinder, toWriter), { text: "All done.", usage });
  provider.script("finder", call({ name: "lookup", arguments: { text: "x" } }), { text: "Found x.", usage });
  provider.script("writer", { text: "Written.", usage });
  const events = await ask();
  const outcome = outcomeOf(events);
  expect([outcome.status, outcome.response]).toEqual(["complete", "All done."]);
  expect(outcome.tool_calls.map(({ tool, result, ok }) => [tool, result, ok])).toEqual([
    ["agent_researcher", "Found x.", true],
    ["agent_writer", "Written.", true],
  ]);
  // Three turns of the two agents, at one dollar a million tokens.
  expect(outcome.meta.agents).toEqual({ runs: 2, total_tokens: 3000, cost_usd: 0.003 });
  const steps = events.flatMap((event) => (event.type === "tool-progress" && event.isStep ? [event.message] : []));
  expect(steps).toContainEqual(expect.stringMatching(/^🔧 lookup \{"text":"x"\}/));
  const [first] = requestsOf("finder");
  expect(toolNames(first)).toEqual(["lookup"]);
  expect(JSON.stringify(first?.body.messages)).toContain("Be brief, says the operator.");
  expect(JSON.stringify(first?.body.messages)).toContain("a task for agent_researcher");
  // It knows nothing of the conversation, and an agent below has no agents below it.
  expect(JSON.stringify(first?.body.messages)).not.toContain("What is new?");
  expect(toolNames(requestsOf("boss")[0])).toEqual(
    expect.arrayContaining(["agent_researcher", "agent_writer", "lookup"]),
  );
});

test("a budget of the day counts what an agent below has used once, with the run above", async () => {
  const { provider, ask } = await open({ budgets: { tokensPerDay: 10_000 } });
  provider.script("boss", call({ name: "agent_writer", arguments: { message: "write" } }), { text: "Done.", usage });
  provider.script("writer", { text: "Written.", usage });
  await ask();
  provider.script("boss", { text: "Counted.", usage: { input: 4900, output: 100 } });
  // 3,000 tokens of the first run and 5,000 of this one are exactly the share at which people are warned.
  expect(outcomeOf(await ask()).notices?.map(({ message }) => message)).toEqual([
    "80% of the budget agent.budgets.tokensPerDay (10000) is used.",
  ]);
});

test("a budget of money counts what is known of an agent's cost, one of whose models has no price", async () => {
  const unpriced = { ...researcher, models: { functionCall: "openai/finder", answer: "openai/unpriced" } };
  const { provider, ask } = await open({ agents: { researcher: unpriced }, budgets: { costPerConversation: 0.0036 } });
  const look = call({ name: "agent_researcher", arguments: { message: "look" } });
  provider.script("boss", look, { text: "Done.", usage });
  provider.script("finder", call({ name: "lookup", arguments: { text: "x" } }));
  provider.script("unpriced", { text: "Found x.", usage });
  const { conversation_id, meta, notices } = outcomeOf(await ask());
  expect(meta.agents).toEqual({ runs: 1, total_tokens: 2000, cost_usd: null, known_cost_usd: 0.001 });
  // Two turns of the main model and one of the agent's, at a tenth of a cent.
  expect(notices?.map(({ message }) => message)).toEqual([
    "83% of the budget agent.budgets.costPerConversation (0.0036) is used.",
  ]);
  provider.script("boss", { text: "Again.", usage });
  await ask({ conversationId: conversation_id });
  expect(outcomeOf(await ask({ conversationId: conversation_id })).error).toMatchObject({ code: "quota" });
});

test("an agent that has asked no model leaves the cost of the others known", async () => {
  const { provider, ask } = await open();
  const both = ["agent_researcher", "agent_writer"].map((name) => ({ name, arguments: { message: "begin" } }));
  provider.script("boss", call(...both), { text: "Done.", usage });
  provider.script("finder", { text: "Found x.", usage });
  provider.script("writer", { status: 403, body: "no" });
  const { meta } = outcomeOf(await ask());
  expect(meta.agents).toEqual({ runs: 2, total_tokens: 1000, cost_usd: 0.001 });
});

test("the most that the server allows a caller holds for the agents below, too", async () => {
  const lookup = countedTool("lookup");
  const { provider, ask } = await open({ tools: [lookup] });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "look" } }), { text: "Done.", usage });
  const looks = [1, 2].map((n) => ({ name: "lookup", arguments: { text: String(n) } }));
  provider.script("finder", call(...looks), { text: "Found.", usage });
  await ask({ ceilings: { maxToolCalls: 1 } });
  expect(lookup.calls).toEqual(["1"]);
});

test("a flag holds for an agent below that has no limit of its own, and a limit of the question does not", async () => {
  const ownLimit = { ...researcher, limits: { maxToolCalls: 3 } };
  const noLimit = { ...researcher, limits: {} };
  const looks = [1, 2, 3, 4].map((n) => ({ name: "lookup", arguments: { text: String(n) } }));
  const countCalls = async (flags: Flags, settings: object, limits: AskRequest["limits"] = {}) => {
    const lookup = countedTool("lookup");
    const { provider, ask } = await open({ flags, agents: { researcher: settings }, tools: [lookup] });
    provider.script("boss", call({ name: "agent_researcher", arguments: { message: "look" } }), { text: "Done." });
    provider.script("finder", call(...looks), { text: "Found." });
    await ask({ limits });
    return lookup.calls.length;
  };
  expect(await countCalls({ maxToolCalls: 2 }, noLimit)).toBe(2);
  expect(await countCalls({ maxToolCalls: 2 }, ownLimit)).toBe(3);
  expect(await countCalls({}, noLimit, { maxToolCalls: 2 })).toBe(4);
});

test("the models above read that the answer of an agent below is partial, and why", async () => {
  const { provider, ask, requestsOf } = await open({ tools: [countedTool("lookup")] });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "look" } }), { text: "Done.", usage });
  const looks = [1, 2, 3].map((n) => ({ name: "lookup", arguments: { text: String(n) } }));
  provider.script("finder", call(...looks), { text: "Found two.", usage });
  await ask();
  const read = JSON.stringify(requestsOf("boss")[1]?.body.messages);
  expect(read).toContain("Found two.\\n\\n⚠ This answer is partial: the limit of tool calls was reached.");
  expect(read).not.toContain("agent.maxToolCalls");
});

test("an agent below reads the instructions that a server gives the run above", async () => {
  const { provider, ask, folder } = await open({ serve: { instructions: true } });
  await writeFile(join(folder, "AGENTS.md"), "Speak plainly, says the operator.");
  provider.script("boss", call({ name: "agent_writer", arguments: { message: "write" } }), { text: "Done.", usage });
  provider.script("writer", { text: "Written.", usage });
  await ask({ recording: { entrance: "http" } });
  expect(JSON.stringify(provider.requests("writer")[0]?.body.messages)).toContain("Speak plainly, says the operator.");
});

test("what an agent has found can be cited above, under the same number", async () => {
  const page = { title: "A page", url: "https://example.com/a", snippet: "The tower is 300 m high." };
  const lookup = countedTool("lookup", { run: async () => ({ ok: true, text: "", sources: [page] }) });
  const { provider, ask } = await open({ tools: [lookup] });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "How high?" } }), {
    text: "It is 300 m high [1].",
    usage,
  });
  provider.script("finder", call({ name: "lookup", arguments: {} }), { text: "The tower is 300 m high [1].", usage });
  const { response, citations } = outcomeOf(await ask());
  expect(citations).toEqual([{ n: 1, title: page.title, url: page.url }]);
  expect(response).toContain("300 m high [1]");
});

test("an agent below writes the numbers of the conversation, and its result names each source once", async () => {
  const toSource = (name: string, snippet = `${name} is told of.`) => ({
    title: name.toUpperCase(),
    url: `https://example.com/${name}`,
    snippet,
  });
  const first = [toSource("a", "A is 330 m high, and not 777 m.")];
  const others = [toSource("c"), toSource("b")];
  const lookup = countedTool("lookup", {
    run: async ({ text }) => ({ ok: true, text: "", sources: text === "a" ? first : others }),
  });
  const { provider, ask } = await open({ tools: [lookup] });
  provider.script(
    "boss",
    call({ name: "lookup", arguments: { text: "a" } }),
    call({ name: "agent_researcher", arguments: { message: "How wide is B, how deep C?" } }),
    { text: "A is 330 m high [1], B is 777 m wide [3].", usage },
  );
  provider.script("finder", call({ name: "lookup", arguments: { text: "more" } }), {
    text: "B is 777 m wide [3], C is 888 m deep [2]. Others say 999 [9].\n\nSources\n- [3] B",
    usage,
  });
  const { response, citations, tool_calls: calls } = outcomeOf(await ask());
  expect(calls[1]?.result).toBe("B is 777 m wide [3], C is 888 m deep [2]. Others say 999.\n[2] C, [3] B");
  // That A names the same figure proves nothing: of B the main model knows only what the agent has said.
  expect(response).toMatch(/^A is 330 m high \[1\], B is 777 m wide \[3\]\.\n/);
  expect(citations.map(({ n, title }) => [n, title])).toEqual([
    [1, "A"],
    [3, "B"],
  ]);
});

test("an agent below that answers with nothing but a list of sources has answered", async () => {
  const page = { title: "A page", url: "https://example.com/a", snippet: "The tower is 300 m high." };
  const lookup = countedTool("lookup", { run: async () => ({ ok: true, text: "", sources: [page] }) });
  const { provider, ask } = await open({ tools: [lookup] });
  const toFinder = call({ name: "agent_researcher", arguments: { message: "Which page?" } });
  provider.script("boss", toFinder, { text: "That page [1].", usage });
  const finds = call({ name: "lookup", arguments: {} });
  provider.script("finder", finds, { text: "Sources\n- [1] A page", usage });
  const [asked] = outcomeOf(await ask()).tool_calls;
  expect(asked?.ok).toBe(true);
  expect(asked?.result).toContain("- [1] A page https://example.com/a");
});

test("a call of an agent below that needs consent asks the person above, and a no is its result", async () => {
  const wipe = countedTool("lookup", { annotations: { destructive: true } });
  const { provider, ask } = await open({ tools: [wipe] });
  const asked: string[] = [];
  const user = toUser({
    async approveCall({ tool }) {
      asked.push(tool);
      return asked.length === 1 ? "no" : "once";
    },
  });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "wipe it" } }), {
    text: "So be it.",
    usage,
  });
  const again = call({ name: "lookup", arguments: { text: "second" } });
  provider.script("finder", call({ name: "lookup", arguments: { text: "first" } }), again, {
    text: "Wiped once.",
    usage,
  });
  expect(outcomeOf(await ask({ user })).status).toBe("complete");
  expect([asked, wipe.calls]).toEqual([["lookup", "lookup"], ["second"]]);
});

test("cancelling the run above cancels the model of the agent below", async () => {
  const { provider, ask } = await open();
  const stop = new AbortController();
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "wait" } }));
  provider.script("finder", { hang: "after-headers" });
  const going = ask({ signal: stop.signal });
  await expect.poll(() => provider.requests("finder").length).toBe(1);
  stop.abort();
  expect(outcomeOf(await going).status).toBe("cancelled");
  await expect.poll(() => provider.requests("finder")[0]?.aborted).toBe(true);
});

test("what the caller may not use, an agent below may not use either", async () => {
  const { provider, ask, requestsOf } = await open({
    agents: { researcher: { ...researcher, tools: ["lookup", "secret"] } },
    tools: [countedTool("lookup"), countedTool("secret")],
  });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "go" } }), { text: "Done.", usage });
  provider.script("finder", { text: "Nothing.", usage });
  await ask({ tools: ["agent_researcher", "lookup"] });
  await ask({ tools: ["lookup"] });
  expect(requestsOf("finder").map(toolNames)).toEqual([["lookup"]]);
  expect(toolNames(requestsOf("boss").at(-1))).toEqual(["lookup"]);
});

test("an agent that is chosen answers itself, with its models, tools and limits", async () => {
  const { provider, ask, requestsOf } = await open();
  provider.script("finder", { text: "I am the researcher.", usage });
  const outcome = outcomeOf(await ask({ agent: "researcher" }));
  expect(outcome.response).toBe("I am the researcher.");
  expect(requestsOf("boss")).toEqual([]);
  expect(requestsOf("finder").map(toolNames)).toEqual([["lookup"]]);
  await expect(ask({ agent: "nobody" })).rejects.toThrow('no agent "nobody" (allowed: researcher, writer)');
});

test("the end of a question to an agent names that agent's limit, and the question's own limit counts above it", async () => {
  const { provider, ask } = await open();
  const calls = ["a", "b", "c"].map((subject) => ({ name: "lookup", arguments: { subject } }));
  provider.script("finder", call(...calls), { text: "Two of three." }, call(...calls), { text: "All three." });
  const limit = { setting: "agents.researcher.limits.maxToolCalls", value: 2 };
  expect(outcomeOf(await ask({ agent: "researcher" }))).toMatchObject({ status: "partial", limit });
  expect(outcomeOf(await ask({ agent: "researcher", limits: { maxToolCalls: 8 } })).status).toBe("complete");
});

test.each([
  [{ ask: writer }, 'test: agents.ask: "ask" is not allowed'],
  [{ a: { ...writer, models: { functionCall: "openai/" } } }, "agents.a.models.functionCall"],
  [{ a: { ...writer, description: undefined } }, "agents.a.description"],
  [{ a: { ...writer, limits: { maxToolCalls: -1 } } }, "agents.a.limits.maxToolCalls"],
])("an agent that cannot be: %j", async (agents, message) => {
  await expect(open({ agents })).rejects.toThrow(message);
});

test("a pattern that matches no tool is told of a question, also where its agent has the same, and not of the agent alone", async () => {
  const agents = { researcher: { ...researcher, tools: ["lookup", "gone"] } };
  const { provider, config, ask } = await open({ agents });
  provider.script("boss", call({ name: "agent_researcher", arguments: { message: "Look." } }), {
    text: "Done.",
    usage,
  });
  provider.script("finder", { text: "One.", usage }, { text: "Two.", usage });
  expect(JSON.stringify(await ask())).not.toContain("gone");
  const events = await ask({ agent: "researcher", tools: config.agents[0]?.tools });
  expect(JSON.stringify(events)).toContain("gone");
});

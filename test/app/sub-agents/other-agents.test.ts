import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSubAgents } from "../../../src/agent/limits/sub-agents.ts";
import type { AskRequest } from "../../../src/app/ask/ask-request.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { openAgentSessions } from "../../../src/app/sub-agents/agent-sessions.ts";
import { createOtherAgents } from "../../../src/app/sub-agents/other-agents.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { toUser } from "../../../src/core/questions/user.ts";
import type { ApprovalRequest } from "../../../src/core/tools/tool.ts";
import { readJournal } from "../../client/servers.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { agentPath } from "../../fakes/other-agents.ts";
import { compileCache, configFile, temporaryFolder } from "../../fakes/program.ts";

interface Scene {
  turns?: ScriptedTurn[];
  args?: string[];
  acp?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  isAtHome?: boolean;
  /** Are those of the agent, `agents.codex.limits`. */
  limits?: Record<string, unknown>;
  environment?: Record<string, string>;
}

/** A Duet with the fake agent as `codex`, whose processes and conversations are new at each `open`. */
async function createScene({ turns = [], args = [], acp, settings, limits, environment, isAtHome }: Scene = {}) {
  const [home, folder] = [await temporaryFolder(), await temporaryFolder()];
  const journal = join(home, "journal");
  const file = await configFile({
    locale: "en",
    search: { enabled: false },
    agents: {
      codex: {
        acp: {
          command: process.execPath,
          args: [agentPath, "--journal", journal, "--sessions", join(home, "sessions"), ...args],
          env: compileCache(),
          cwd: folder,
          ...acp,
        },
        ...(limits && { limits }),
      },
    },
    ...settings,
  });
  const model = scriptedModel(turns);
  async function open() {
    const variables = { ...environment, HOME: home, DUET_HOME: home };
    const duet = await openDuet(await loadConfig({ config: file }, variables, isAtHome ? home : undefined), {
      models: { functionCall: model, answer: model },
    });
    onTestFinished(() => duet.close());
    const ask = (request: Partial<AskRequest>) =>
      Array.fromAsync(duet.ask({ question: "What is new?", mode: "agent", ...request }));
    return { duet, ask };
  }
  return { ...(await open()), open, model, journal, folder, file };
}

const callCodex = (...messages: string[]): ScriptedTurn =>
  messages.map((message, n) => ({ id: `c${n}`, name: "agent_codex", input: { message } }));

test("to the main model another agent is a tool like its own sub-agents: described, asked, its steps seen and its bill counted", async () => {
  const { ask, model, folder, journal } = await createScene({ turns: [callCodex("example"), "It is done."] });
  const asked: ApprovalRequest[] = [];
  const user = toUser({
    async approveCall(request) {
      asked.push(request);
      return "once";
    },
  });
  const events = await ask({ user });
  const outcome = outcomeOf(events);
  expect([outcome.status, outcome.response]).toEqual(["complete", "It is done."]);
  const [offered] = model.requests[0]?.tools.filter(({ name }) => name === "agent_codex") ?? [];
  expect(offered?.description).toMatch(/^The coding agent Codex: .*; for larger programming tasks$/);
  expect(outcome.meta.agents).toEqual({ runs: 1, total_tokens: 1000, cost_usd: 0.25 });
  const steps = events.flatMap((event) => (event.type === "tool-progress" && event.isStep ? [event.message] : []));
  expect(steps).toContain("✓ edit: Modifying the configuration");
  expect(asked.map(({ tool }) => tool)).toEqual(["agent_codex__edit"]);
  // What it says is fenced as text from outside.
  const results = model.requests[1]?.messages.filter(({ role }) => role === "tool");
  expect(JSON.stringify(results)).toMatch(/<<<result [0-9a-f]{8}\\nI updated the configuration\.\\nresult/);
  expect(readJournal(journal)).toContainEqual(expect.objectContaining({ cwd: folder }));
});

test("a question goes straight to an agent without a model, and its conversation resumes the agent's session in another process", async () => {
  const { ask, open, model, journal, duet } = await createScene({ args: ["--resume"], turns: ["It will."] });
  const events = await ask({ agent: "codex", question: "remember [1] is a number" });
  const { conversation_id: conversationId, ...outcome } = outcomeOf(events);
  expect(outcome).toMatchObject({ status: "complete", response: "I will.", meta: { mode: "agent", total_tokens: 0 } });
  expect(outcome.meta.agents).toEqual({ runs: 1, total_tokens: 1000, cost_usd: null });
  expect(outcome.meta.models.answer).toMatchObject({ provider: "acp", model: "codex", calls: 0 });
  // Another program's words do not become those of a model that goes on.
  await ask({ question: "What did it say?", conversationId });
  const said = model.requests
    .splice(0)
    .at(-1)
    ?.messages.filter(({ role }) => role === "assistant")
    .at(-1);
  expect(said?.content).toMatch(/^agent_codex\n<<<result [0-9a-f]{8}\nI will\.\nresult/);
  await duet.close();
  const { ask: askLater } = await open();
  const later = outcomeOf(await askLater({ agent: "codex", question: "recall", conversationId }));
  // The numbers in brackets are the agent's own.
  expect(later.response).toBe("I remember: [1] is a number. My mode is write.");
  expect(later.notices).toBeUndefined();
  const anew = outcomeOf(await askLater({ agent: "codex", question: "recall" }));
  expect(anew.response).toContain("I remember: nothing.");
  expect(model.requests).toEqual([]);
  expect(readJournal(journal).filter((entry) => "taken" in entry)).toHaveLength(1);
});

test("what an agent writes that is asked directly is shown as it comes: a thought before each step, the answer at the end, no secret", async () => {
  const { ask } = await createScene({ acp: { env: { ...compileCache(), A_TOKEN: "tell-nobody" } } });
  const read = async (drafts: boolean) => {
    const told: string[] = [];
    for (const event of await ask({ agent: "codex", question: "spell A_TOKEN", drafts })) {
      const last = told.at(-1) ?? "";
      if (event.type === "draft-end") told.push(`draft-end ${event.kept}`);
      else if (event.type === "draft-start" || event.type === "tool-end") told.push(event.type);
      else if (event.type === "tool-progress" && event.isStep) told.push(event.message);
      else if ("text" in event && last.startsWith(`${event.type}: `)) told.splice(-1, 1, last + event.text);
      else if ("text" in event) told.push(`${event.type}: ${event.text}`);
    }
    return told;
  };
  const steps = ["🔧 Looking", "✓ Looking"];
  const thought = "thought-delta: a [redacted A_TOKEN]";
  const end = ["tool-end", "answer-delta: b [redacted A_TOKEN]!"];
  expect(await read(true)).toEqual([
    ...["draft-start", "draft-delta: a [redacted A_TOKEN]", "draft-end thought", thought, ...steps],
    ...["draft-start", "draft-delta: b [redacted A_TOKEN]!", "draft-end answer", ...end],
  ]);
  expect(await read(false)).toEqual([thought, ...steps, ...end]);
});

test("a first question that is cancelled leaves the agent's session to the next one", async () => {
  const { ask, duet, journal } = await createScene();
  const stop = new AbortController();
  const events = [];
  for await (const event of duet.ask({ question: "wait", agent: "codex", signal: stop.signal })) {
    events.push(event);
    if (event.type === "tool-progress" && event.isStep) stop.abort();
  }
  const { status, conversation_id: conversationId } = outcomeOf(events);
  expect(status).toBe("cancelled");
  const next = outcomeOf(await ask({ agent: "codex", question: "recall", conversationId }));
  expect([next.status, next.notices]).toEqual(["complete", undefined]);
  expect(readJournal(journal).filter((entry) => "session" in entry)).toHaveLength(1);
});

test("an agent's questions are withdrawn when its turn ends, and those that waited are not asked", async () => {
  const { ask, folder } = await createScene();
  const mark = join(folder, "asked");
  const asked: AbortSignal[] = [];
  const user = toUser({
    approveCall(_, signal) {
      asked.push(signal);
      writeFileSync(mark, "");
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await ask({ agent: "codex", question: `linger ${mark}`, user });
  await ask({ agent: "codex", question: "recall", user });
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
});

test("without a folder of its own an agent is not asked where Duet runs in the home directory", async () => {
  const { ask, journal } = await createScene({ acp: { cwd: undefined }, isAtHome: true });
  const outcome = outcomeOf(await ask({ agent: "codex", question: "recall" }));
  expect(outcome.error).toMatchObject({
    code: "config",
    message: expect.stringMatching(/Set agents\.codex\.acp\.cwd/),
  });
  expect(readJournal(journal)).toEqual([]);
});

test("what a question has cost that was cancelled is in the bill", async () => {
  const { duet } = await createScene();
  const stop = new AbortController();
  const events = [];
  for await (const event of duet.ask({ question: "spend", agent: "codex", signal: stop.signal })) {
    events.push(event);
    if (event.type === "tool-progress" && event.isStep) stop.abort();
  }
  const { status, meta } = outcomeOf(events);
  expect([status, meta.agents]).toEqual(["cancelled", { runs: 1, total_tokens: 5_000_000, cost_usd: 0.25 }]);
});

test("what a question has cost is in the bill, too, where the agent dies, and where its time is over", async () => {
  const { ask, duet } = await createScene({ limits: { maxExecutionTime: 600 } });
  const bill = { runs: 1, total_tokens: 5_000_000, cost_usd: 0.25 };
  const dead = outcomeOf(await ask({ agent: "codex", question: "perish" }));
  expect([dead.error?.message, dead.meta.agents]).toEqual([
    expect.stringContaining("its process ended meanwhile (exit code 7)"),
    bill,
  ]);
  // Time goes on by itself, too: on a busy machine what an agent writes is read with breaks.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const events = [];
  for await (const event of duet.ask({ question: "spend", agent: "codex" })) {
    events.push(event);
    if (event.type === "tool-progress" && event.isStep) vi.advanceTimersByTime(600_000);
  }
  const late = outcomeOf(events);
  expect([late.status, late.stop_reason, late.meta.agents]).toEqual(["failed", "time_limit", bill]);
});

test("a question that an agent takes back is withdrawn, and its next one is asked", async () => {
  const { ask, folder } = await createScene();
  const mark = join(folder, "asked");
  const withdrawn: boolean[] = [];
  const user = toUser({
    approveCall(_, signal) {
      writeFileSync(mark, "");
      if (withdrawn.push(false) === 2) return Promise.resolve("once");
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          withdrawn[0] = true;
          reject(signal.reason);
        }),
      );
    },
  });
  const { response } = outcomeOf(await ask({ agent: "codex", question: `reconsider ${mark}`, user }));
  expect(response).toMatch(/, allow$/);
  expect(withdrawn).toEqual([true, false]);
});

test("where the configuration agrees to everything, an agent writes and runs without a person, and within its folders alone", async () => {
  const { ask, folder } = await createScene({ acp: { permissions: "allow", terminal: true } });
  const codex = async (question: string) => outcomeOf(await ask({ agent: "codex", question }));
  expect((await codex(`write ${folder}/made.txt hello`)).notices).toBeUndefined();
  expect(readFileSync(join(folder, "made.txt"), "utf8")).toBe("hello");
  expect((await codex(`kill ${folder}`)).response).toMatch(/^\{"signal":"SIG[A-Z]+".*"output":"begun\\n"/);
  expect((await codex("write /etc/made.txt hello")).response).toContain("refused");
  expect((await codex("terminal /etc pwd")).response).toContain("is not within the allowed folders");
});

test("a branch that goes another way has a session of its own, and the one that it left keeps the first", async () => {
  const { ask } = await createScene();
  const codex = async (question: string, more: Partial<AskRequest> = {}) =>
    outcomeOf(await ask({ agent: "codex", question, ...more }));
  const { conversation_id: conversationId } = await codex("remember one");
  await codex("remember two", { conversationId });
  const aside = await codex("recall", { conversationId, after: 1 });
  expect(aside.response).toContain("I remember: nothing.");
  expect(aside.notices).toEqual([
    expect.objectContaining({ message: expect.stringContaining("belongs to another branch of this conversation") }),
  ]);
  await codex("remember three", { conversationId, branch: 2 });
  const [first, second] = [
    await codex("recall", { conversationId, branch: 1 }),
    await codex("recall", { conversationId, branch: 2 }),
  ];
  expect(first.response).toContain("I remember: one, two.");
  expect(second.response).toContain("I remember: three.");
  expect([first.notices, second.notices]).toEqual([undefined, undefined]);
});

test("a fork has sessions of its own, and the conversation that it was made of keeps its", async () => {
  const { ask, duet } = await createScene();
  const codex = async (question: string, conversationId?: string) =>
    outcomeOf(await ask({ agent: "codex", question, conversationId }));
  const { conversation_id: id } = await codex("remember one");
  const fork = await (await duet.store()).branches?.fork(id);
  const forked = await codex("remember two", fork);
  expect(forked.notices).toEqual([
    expect.objectContaining({ message: expect.stringContaining("the conversation that this one was forked from") }),
  ]);
  expect((await codex("recall", fork)).response).toContain("I remember: two.");
  expect((await codex("recall", id)).response).toContain("I remember: one.");
});

test("a session that cannot be resumed is told with the answer, and a question that fails keeps the agent's words", async () => {
  const { ask, open, duet } = await createScene();
  const { conversation_id: conversationId } = outcomeOf(await ask({ agent: "codex", question: "remember x" }));
  await duet.close();
  const { ask: askLater } = await open();
  const later = outcomeOf(await askLater({ agent: "codex", question: "recall", conversationId }));
  expect(later.notices).toEqual([
    expect.objectContaining({ message: expect.stringContaining("cannot continue an earlier session") }),
  ]);
  const dead = outcomeOf(await askLater({ agent: "codex", question: "die" }));
  expect([dead.status, dead.error?.code]).toEqual(["failed", "server"]);
  expect(dead.error?.message).toContain("its process ended meanwhile (exit code 7)");
  const refused = outcomeOf(await askLater({ agent: "codex", question: "refuse" }));
  expect(refused.error?.message).toBe("The agent codex: it refused to go on.");
  const denied = outcomeOf(await askLater({ agent: "codex", question: "sulk" }));
  expect(denied.error).toMatchObject({
    message: "The agent codex: it stopped its work, as a rule because it was refused a permission.",
    hint: null,
  });
  const picture = { name: "a.txt", bytes: new TextEncoder().encode("words"), mediaType: "text/plain" };
  const told = { question: "Hello.", instruction: "Be brief.", attachments: [picture] };
  const plain = outcomeOf(await askLater({ agent: "codex", ...told }));
  expect(plain.response).toBe("You said: Hello.\n\nBe brief.");
  expect(plain.notices).toEqual([
    expect.objectContaining({ message: "Not attached: the agent codex is given text alone" }),
  ]);
});

test("a caller asks an agent only where its tools allow that, and rules of the operator hold for it", async () => {
  const { ask, journal } = await createScene({ settings: { tools: { ask: ["agent_codex"] } } });
  const outcome = outcomeOf(
    await ask({ agent: "codex", question: "recall", caller: { owner: "anna", tools: ["lookup"] } }),
  );
  expect([outcome.status, outcome.error?.message]).toEqual([
    "failed",
    "There is no tool named agent_codex. Available tools: none.",
  ]);
  const unanswered = outcomeOf(await ask({ agent: "codex", question: "recall" }));
  expect([unanswered.status, unanswered.error?.message]).toEqual([
    "failed",
    expect.stringContaining("agent_codex needs consent (rule tools.ask: agent_codex)"),
  ]);
  expect(readJournal(journal)).toEqual([]);
});

test("a chain of agents ends at the deepest one, also where the agents above are programs that tell no depth", async () => {
  const deepest = await createScene({ turns: ["I do it myself."], environment: { DUET_DEPTH: "3" } });
  const own = outcomeOf(await deepest.ask({}));
  expect([own.status, own.response]).toEqual(["complete", "I do it myself."]);
  expect(deepest.model.requests[0]?.tools.map(({ name }) => name)).not.toContain("agent_codex");
  // What was asked of an agent, no model answers in its place.
  await expect(deepest.ask({ agent: "codex" })).rejects.toThrow("This call is 4 agents deep (allowed: at most 3)");
  const chain = { depth: 3 };
  const { ask, model } = await createScene();
  await expect(ask({ agent: "codex", chain })).rejects.toThrow("This call is 4 agents deep");
  expect([...deepest.model.requests.slice(1), ...model.requests]).toEqual([]);
  // An agent tells a Duet that it starts how deep it is.
  const below = outcomeOf(await ask({ agent: "codex", question: "environment", chain: { depth: 2 } }));
  expect(below.response).toContain('"DUET_DEPTH":"3"');
  const first = outcomeOf(await ask({ agent: "codex", question: "environment" }));
  expect(first.response).toContain('"DUET_DEPTH":"1"');
});

test("an agent that is asked directly refuses what it would answer otherwise, keeps to the tools of the question, and tells what it is not told", async () => {
  const { ask, model, journal } = await createScene();
  for (const mode of ["plan", "chat"] as const)
    await expect(ask({ agent: "codex", mode })).rejects.toMatchObject({
      code: "invalid_request",
      message: `the agent codex cannot answer in mode ${mode} (allowed: agent; agents.codex.acp.mode sets its own)`,
    });
  const history = [{ question: "Before?", answer: "Yes." }];
  await expect(ask({ agent: "codex", history })).rejects.toMatchObject({ code: "invalid_request" });
  for (const restricted of [{ tools: ["read_*"] }, { within: [["read_*"]] }]) {
    const refused = outcomeOf(await ask({ agent: "codex", question: "recall", ...restricted }));
    expect([refused.status, refused.error?.message]).toEqual([
      "failed",
      expect.stringContaining("no tool named agent_codex"),
    ]);
  }
  expect(readJournal(journal)).toEqual([]);
  const told = outcomeOf(
    await ask({ agent: "codex", question: "Hello.", stop: ["END"], search: true, tools: ["agent_*"] }),
  );
  expect(told.response).toBe("You said: Hello.");
  expect(told.notices).toEqual([
    expect.objectContaining({ message: "The agent codex was not told of: stop, the web search" }),
  ]);
  expect(model.requests).toEqual([]);
});

test("an agent keeps to its own limits when the main one asks it, and to the whole of them when it is asked directly", async () => {
  // It uses 5,000,000 tokens.
  const narrow = await createScene({ turns: [callCodex("spend"), "Too dear."], limits: { tokenBudget: 1000 } });
  await narrow.ask({ limits: { tokenBudget: 100_000_000 } });
  expect(JSON.stringify(narrow.model.requests[1]?.messages)).toContain("the tokens that it may use were used up");
  const config = await loadConfig({ config: narrow.file }, {});
  const [codex] = config.agents;
  if (codex === undefined) throw new Error("There is no agent.");
  const others = createOtherAgents(config);
  onTestFinished(() => others.close());
  const context = { signal: new AbortController().signal, locale: "en", progress: () => {}, notice: () => {} } as const;
  const short = { ...codex, limits: { maxExecutionTime: 0.2 } };
  await expect(others.ask(short, "wait", openAgentSessions({ id: "c", turns: [] }), context)).rejects.toThrow(
    "codex timed out after 0.2 s",
  );
  const left = { tokens: 1000, cost: 2 };
  expect(createSubAgents().reserveBudget(left, 0)).toMatchObject(left);
  const direct = await createScene({ limits: { tokenBudget: 6_000_000 } });
  const events = await direct.ask({ agent: "codex", question: "spend once" });
  expect(outcomeOf(events).status).toBe("complete");
});

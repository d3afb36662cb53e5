import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { defineTool } from "../../../src/index.ts";
import { allDead, processesIn } from "../../client/servers.ts";
import { withoutDay } from "../../fakes/model.ts";
import { collect, compileCache, configFile, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { leftOfRun } from "../released.ts";
import {
  calculate,
  embed,
  eventsIn,
  follow,
  hear,
  lastMessage,
  offered,
  question,
  request,
  scriptTwoSearches,
  searchFor,
  setScene,
  systemPrompt,
  told,
} from "./two-models.ts";

const distance = defineTool({
  name: "distance",
  description: "The distance between two cities, in kilometres.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => `到${to}的距离是 1200 公里。`,
});

/** Counts how often each phase and each call started and ended. */
function openings(events: readonly AgentEvent[]): { begun: string[]; ended: string[] } {
  const name = (event: AgentEvent): string =>
    "callId" in event ? event.callId : "phase" in event && "step" in event ? `${event.phase} ${event.step}` : "";
  const named = (...types: AgentEvent["type"][]): string[] =>
    events
      .filter(({ type }) => types.includes(type))
      .map(name)
      .sort();
  return { begun: named("phase-start", "tool-start"), ended: named("phase-end", "tool-end") };
}

describe("LangChain Agent 集成", () => {
  test("Agent 初始化: an agent is made of its models, its tools, its prompts and its limits", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [{ name: "distance", arguments: { to: "北京" } }] }, { text: "never" });
    scene.provider.script("strong", { text: "1200 公里。" });
    const duet = await embed(scene, { tools: [distance], config: { agent: { maxIterations: 1 } } });
    const { events, outcome } = await follow(duet, "上海到北京多远？");
    expect(events[0]).toMatchObject({
      type: "run-start",
      mode: "agent",
      models: { functionCall: "openai/cheap", answer: "anthropic/strong" },
      toolCount: (await duet.tools()).length,
    });
    expect(offered(request(scene, "cheap"))).toContainEqual(
      expect.objectContaining({ name: "distance", description: distance.description }),
    );
    expect(systemPrompt(request(scene, "cheap"))).toContain("智能体");
    expect(outcome).toMatchObject({ stop_reason: "iteration_limit", response: "1200 公里。", meta: { iterations: 1 } });
  });

  test("Agent 回调: thoughts, calls, results and the answer come as events, each of which a face can show", async () => {
    const scene = await setScene();
    scriptTwoSearches(scene.provider);
    const { events, stderr } = await hear(scene, question, ["--verbose"]);
    const kinds = events.map(({ type }) => type);
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      "run-start",
      ...["phase-start", "thought-delta", "phase-end", "tool-start", "tool-end", "evaluation"],
      ...["phase-start", "thought-delta", "phase-end", "tool-start", "tool-end", "evaluation"],
      ...["phase-start", "thought-delta", "phase-end", "evaluation"],
      ...["phase-start", "answer-delta", "phase-end"],
      "run-end",
    ]);
    const signs = ["🧭", "💭", "🔧", "✓", "⚖"];
    const order = [...signs, ...signs, "🧭", "💭", "⚖"];
    const lines = stderr.split("\n").filter((line) => order.some((sign) => line.startsWith(sign)));
    expect(lines.map((line) => order.find((sign) => line.startsWith(sign)))).toEqual(order);
  });

  test("Agent 停止: when it has finished, every step is closed", async () => {
    const scene = await setScene();
    scriptTwoSearches(scene.provider);
    const { events } = await follow(await embed(scene), question);
    const { begun, ended } = openings(events);
    expect(begun).toHaveLength(6);
    expect(ended).toEqual(begun);
  });

  test("Agent 停止: when it is stopped, every step is closed, the model's request and the tool's call end, and no process is left", async () => {
    const scene = await setScene();
    const journal = join(await temporaryFolder(), "journal");
    const args = [resolve("test/fakes/mcp.ts"), "--mode", "hang-on-call", "--journal", journal];
    const config = await configFile({ mcpServers: { slow: { command: process.execPath, args, env: compileCache() } } });
    scene.provider.script("cheap", { toolCalls: [{ name: "slow__echo", arguments: {} }, calculate("6*7")] });
    const child = await startProgram(["ask", "等一等", "--output", "jsonl", "--config", config], { env: scene.env });
    child.stdin.end();
    let stdout = "";
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    const finished = collect(child);
    await expect.poll(() => stdout).toContain('"tool":"calculator","ok":true');
    const servers = await processesIn(journal, 1);
    child.kill("SIGINT");
    expect((await finished).code).toBe(130);
    const { begun, ended } = openings(eventsIn(stdout));
    expect(begun).toHaveLength(3);
    expect(ended).toEqual(begun);
    expect(eventsIn(stdout).at(-1)).toMatchObject({ type: "run-end", outcome: { status: "cancelled" } });
    await allDead(servers);
  });

  test("Agent 停止: a program that leaves the stream stops the model's request", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "想一想。", hang: "after-text" });
    for await (const event of (await embed(scene)).stream("等一等")) if (event.type === "thought-delta") break;
    await expect.poll(() => request(scene, "cheap").aborted).toBe(true);
  });

  test.each(["finished", "left", "stopped"] as const)(
    "Agent 停止: of a run that was %s no memory is held, no listener and no timer",
    async (how) => {
      const { provider } = await setScene();
      provider.script("only", { text: "想一想。", toolCalls: [{ name: "hold", arguments: {} }] }, { text: "好。" });
      const left = await leftOfRun({ provider: provider.openaiUrl, mode: "agent", how });
      expect(left.status).toBe({ finished: "complete", left: "left", stopped: "cancelled" }[how]);
      expect(left.seen).toMatchObject({ context: 1, signal: 1, event: expect.toSatisfy((count) => count > 3) });
      expect(left).toMatchObject({ held: { context: 0, signal: 0, event: 0 }, listeners: 0, timers: 0 });
    },
  );

  test("Agent 停止: memory that something holds would be seen", async () => {
    const { provider } = await setScene();
    provider.script("only", { toolCalls: [{ name: "hold", arguments: {} }] }, { text: "好。" });
    const left = await leftOfRun({ provider: provider.openaiUrl, mode: "agent", how: "finished", keep: true });
    expect(left.held).toEqual(left.seen);
  });

  test("Agent 内存管理: the next question knows the conversation, and what was searched is not searched again", async () => {
    const scene = await setScene();
    const query = searchFor("上海 明天 天气预报");
    scene.provider.script(
      "cheap",
      { toolCalls: [query] },
      { text: "够了。" },
      { toolCalls: [query] },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "上海多云[1]。" }, { text: "我说过，多云[1]。" });
    const duet = await embed(scene);
    const { outcome: first } = await follow(duet, question);
    const { outcome: second } = await follow(duet, "你刚才说什么？", { conversationId: first.conversation_id });
    const opening = told(request(scene, "cheap", 2));
    expect(opening).toContain(question);
    expect(opening).toContain("上海多云[1]。");
    expect(second.tool_calls).toMatchObject([{ cached: true }]);
    expect(scene.search.journal).toHaveLength(1);
    // A page keeps its number through the conversation.
    expect(second.citations).toEqual(first.citations);

    const store = await duet.store();
    expect((await store.load(first.conversation_id))?.turns.map((turn) => turn.question)).toEqual([
      question,
      "你刚才说什么？",
    ]);
    for (const { run_id } of [first, second])
      expect((await store.trace(run_id))?.steps[0]).toMatchObject({
        action: { tool: "web_search", args: query.arguments },
        observation: expect.stringContaining("上海天气预报"),
      });
  });

  test("Agent 内存管理: a conversation that has ended leaves nothing behind, neither words nor searches", async () => {
    const scene = await setScene();
    const query = searchFor("上海 明天 天气预报");
    scene.provider.script(
      "cheap",
      { toolCalls: [query] },
      { text: "够了。" },
      { toolCalls: [query] },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "上海多云[1]。" }, { text: "多云[1]。" });
    const duet = await embed(scene);
    const conversationId = "conv-weather";
    const { outcome } = await follow(duet, question, { conversationId });
    const store = await duet.store();
    expect(await store.remove(conversationId)).toBe(true);
    expect(await store.trace(outcome.run_id)).toBeUndefined();

    const { outcome: anew } = await follow(duet, "今天呢？", { conversationId });
    expect(withoutDay(lastMessage(request(scene, "cheap", 2)))).toBe("今天呢？");
    expect(told(request(scene, "cheap", 2))).not.toContain("上海多云");
    expect(anew.tool_calls).toMatchObject([{ cached: false }]);
    expect(scene.search.journal).toHaveLength(2);
  });
});

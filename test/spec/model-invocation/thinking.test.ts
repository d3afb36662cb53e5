import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeProvider } from "../../fakes/provider.ts";
import { inOrder, once } from "../agent-mode/two-models.ts";
import { leftOfRun } from "../released.ts";
import { count, openSession, requestTo, toldTo } from "./session.ts";

const thoughts = Array.from({ length: 9 }, (_, index) => `第${index + 1}点：再想一想。`);
const reasoning = thoughts.join("\n");

/** One chat with a model that thinks, then with one that does not, and what the screen showed at each point. */
const session = once(async () => {
  const { terminal, provider } = await openSession({ env: { DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" } });
  const now = () => terminal.rows().join("\n");
  const all = () => terminal.scrollback().join("\n");
  const [thought, said, broken] = [0, 1, 2].map(() => Promise.withResolvers<void>());

  provider.script(
    "deepseek-flash",
    { reasoning, thinkUntil: thought?.promise, text: "答案是四。\n\n完", hang: "after-text", until: said?.promise },
    { reasoning: "想到一半，", thinkUntil: broken?.promise, cut: "before-finish" },
    { reasoning: "重新想过。", text: "这次想完了。" },
    { text: "我直接回答。" },
  );
  await terminal.stands("Chat 模式");
  terminal.type("二加二等于几？\r");
  await terminal.stands("第9点");
  const whileThinking = now();
  thought?.resolve();
  await terminal.stands("答案是四。");
  const whileAnswering = now();
  said?.resolve();
  await terminal.repeats("共 ", 1);
  const answered = all();
  const written = terminal.screen();

  terminal.type("/expand 1\r");
  await terminal.repeats("第9点：再想一想。", 1);
  const expanded = all();

  terminal.type("再想一题\r");
  await terminal.stands("想到一半");
  broken?.resolve();
  await terminal.repeats("共 ", 2);
  const afterError = all();
  terminal.type("还能继续吗？\r");
  await terminal.stands("这次想完了。");
  await terminal.repeats("共 ", 3);
  const afterErrorAnswered = all();

  terminal.type("/model deepseek-chat\r");
  await terminal.shows("对话历史已清除");
  const switched = all();
  terminal.type("那么你好\r");
  await terminal.stands("我直接回答。");
  await terminal.repeats("共 ", 4);
  const withoutThoughts = all().split("那么你好").at(-1) ?? "";
  terminal.type("/exit\r");
  const code = await terminal.ended();
  const shown = { whileThinking, whileAnswering, answered, expanded, afterError, afterErrorAnswered };
  return { provider, ...shown, switched, withoutThoughts, written, code };
});

/** The line that a thought was folded to. */
const folded = /💡 思考过程 #\d+ \(\d+\.\d s\)/g;

describe("Chainlit界面集成", () => {
  test("推理内容流式展示: the reasoning stands open under 思考中... and grows as it comes", async () => {
    const { whileThinking } = await session();
    expect(whileThinking).toContain("💭 思考中...");
    expect(whileThinking).toContain("第9点：再想一想。");
    expect(whileThinking).not.toContain("💡");
    expect(whileThinking).not.toContain("答案是四");
  });

  test("思考内容自动折叠: when the answer begins it is one line, once, and can be opened again", async () => {
    const { whileAnswering, answered, expanded } = await session();
    expect(whileAnswering).not.toContain("💭 思考中...");
    expect(whileAnswering.match(folded)).toHaveLength(1);
    expect(whileAnswering).not.toContain("第9点");
    expect(answered.match(folded)).toHaveLength(1);
    for (const thought of thoughts) expect(expanded).toContain(thought);
  });

  test("正式回答流式输出: the answer streams below the folded thought, a blank line between them", async () => {
    const { whileAnswering } = await session();
    const lines = whileAnswering.split("\n");
    const thought = lines.findIndex((line) => line.includes("💡 思考过程"));
    const answer = lines.findIndex((line) => line.includes("答案是四。"));
    expect(answer).toBeGreaterThan(thought);
    expect(lines.slice(thought, answer)).toContain("");
    expect(lines[thought]).not.toContain("答案是四");
  });

  test("思考过程异常处理: an error in the middle closes the thought, is told kindly, and the chat goes on", async () => {
    const { afterError, afterErrorAnswered } = await session();
    expect(afterError).not.toContain("💭 思考中...");
    expect(afterError.match(folded)).toHaveLength(2);
    expect(afterError).toMatch(/✗ .+。/);
    expect(afterError).not.toMatch(/\n\s+at |Error:/);
    expect(afterErrorAnswered).toContain("这次想完了。");
  });
});

describe("DeepSeek 模型选择", () => {
  test("模型切换: another model in the middle of a chat clears the history, answers what follows, and is confirmed", async () => {
    const { provider, switched, code } = await session();
    expect(switched).toMatch(/已切换到模型 .*deepseek-chat.*对话历史已清除。/);
    const last = provider.requests("deepseek-flash").length - 1;
    expect(requestTo(provider, "deepseek-flash", last).body).toMatchObject({ thinking: { type: "disabled" } });
    expect(toldTo(provider, "deepseek-flash", last)).toContain("那么你好");
    expect(toldTo(provider, "deepseek-flash", last)).not.toContain("二加二");
    expect(toldTo(provider, "deepseek-flash", last - 1)).toContain("二加二");
    expect(code).toBe(0);
  });
});

describe("思考内容展示", () => {
  test("流式展示思考过程: while the model thinks there is a block of its own, with a sign of its own", async () => {
    const { whileThinking } = await session();
    const lines = whileThinking.split("\n");
    const title = lines.findIndex((line) => line.includes("💭 思考中..."));
    expect(lines.slice(title + 1).join("\n")).toContain("第9点：再想一想。");
  });

  test("自动折叠思考内容: it folds by itself, its title becomes 思考过程, and the answer begins below it", async () => {
    const { whileAnswering } = await session();
    expect(inOrder(whileAnswering, ["💡 思考过程", "第1点", "答案是四。"])).toHaveLength(3);
  });

  test("手动展开思考内容: /expand opens the whole of it again", async () => {
    const { answered, expanded } = await session();
    expect(answered).not.toContain("第5点");
    expect(count(expanded, "第5点：再想一想。")).toBe(1);
  });

  test("无思考内容的情况: a model that gives none shows none, and its answer comes at once", async () => {
    const { withoutThoughts } = await session();
    expect(withoutThoughts).toContain("我直接回答。");
    expect(withoutThoughts).not.toMatch(/💭|💡/u);
  });
});

describe("推理内容状态管理", () => {
  test("状态标记跟踪: a thought is open at first and is folded only once", async () => {
    const { whileThinking, answered, written } = await session();
    expect(count(whileThinking, "💭 思考中...")).toBe(1);
    expect(count(answered, "💡 思考过程")).toBe(1);
    expect(count(written, "💡 思考过程 #1 ")).toBe(1);
  });

  test("状态转换触发: the first piece of the answer folds it, and every sign of it changes with it", async () => {
    const { whileThinking, whileAnswering } = await session();
    expect([whileThinking, whileAnswering].map((screen) => /💭 思考中/u.test(screen))).toEqual([true, false]);
    expect([whileThinking, whileAnswering].map((screen) => /💡 思考过程/u.test(screen))).toEqual([false, true]);
  });

  test("状态转换触发: with --verbose the transition is logged once, behind the thought and before the answer", async () => {
    const { terminal, provider } = await openSession({
      args: ["--verbose"],
      env: { DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" },
    });
    const said = Promise.withResolvers<void>();
    provider.script("deepseek-flash", { reasoning, text: "答案是四。\n\n完", hang: "after-text", until: said.promise });
    await terminal.stands("Chat 模式");
    terminal.type("二加二等于几？\r");
    await terminal.stands("答案是四。");
    const whileAnswering = terminal.scrollback().join("\n");
    said.resolve();
    await terminal.repeats("共 ", 1);
    const line = "· 思考状态：展开 → 折叠（收到第一个正式回答片段）";
    expect(inOrder(whileAnswering, ["💡 思考过程 #1", "第9点：再想一想。", line, "答案是四。"])).toHaveLength(4);
    expect(count(terminal.scrollback().join("\n"), "展开 → 折叠")).toBe(1);
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("状态转换触发: without --verbose nothing is logged of it", async () => {
    expect((await session()).written).not.toContain("展开 → 折叠");
  });

  test("生命周期管理: each thought is closed, also the one that an error cut off, and is kept under its own number", async () => {
    const { afterErrorAnswered } = await session();
    const numbers = Array.from(afterErrorAnswered.matchAll(/💡 思考过程 #(\d+)/g), ([, number]) => Number(number));
    expect(new Set(numbers)).toEqual(new Set([1, 2, 3]));
    expect(afterErrorAnswered).not.toContain("💭 思考中...");
  });

  test.each([
    ["finished", "complete", { reasoning, text: "答案是四。" }],
    ["cut", "failed", { reasoning, cut: "before-finish" as const }],
  ] as const)(
    "生命周期管理: of a thought that was %s nothing is held: no event, no timer, no request",
    async (how, status, turn) => {
      const provider = await startFakeProvider();
      onTestFinished(() => provider.close());
      provider.script("only", turn, turn, turn, turn);
      const left = await leftOfRun({ provider: provider.openaiUrl, mode: "chat", how });
      expect(left.status).toBe(status);
      expect(left.seen.event).toBeGreaterThan(4);
      expect(left).toMatchObject({ held: { context: 0, signal: 0, event: 0 }, listeners: 0, timers: 0 });
      for (const { endedAt } of provider.requests("only")) expect(endedAt).toEqual(expect.any(Number));
    },
  );

  test("生命周期管理: once a thought was cut off by an error the chat draws nothing more of it", async () => {
    const { terminal, provider } = await openSession({ env: { DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" } });
    const broken = Promise.withResolvers<void>();
    provider.script("deepseek-flash", { reasoning: "想到一半，", thinkUntil: broken.promise, cut: "before-finish" });
    await terminal.stands("Chat 模式");
    terminal.type("想一题\r");
    await terminal.stands("想到一半");
    broken.resolve();
    await terminal.repeats("共 ", 1);
    terminal.type("/set temperature 0.3\r");
    await terminal.stands("0.7 → 0.3");
    const written = terminal.bytes().length;
    // A view that were still open would draw its sign ten times a second: a frame of ours comes only when something changes.
    terminal.type("x");
    await terminal.stands("> x");
    const frames = terminal.bytes().subarray(written).toString().split("\u001b[?2026h").length - 1;
    expect(frames).toBeLessThanOrEqual(2);
    expect(terminal.rows().join("\n")).not.toMatch(/💭|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
    terminal.press("backspace");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });
});

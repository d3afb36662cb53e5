import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../fakes/program.ts";
import { inOrder, once, searchFor } from "../agent-mode/two-models.ts";
import { openSession, requestTo, toldTo } from "./session.ts";

const chatHelp = "常规对话,可手动启用联网搜索";
const agentHelp = "智能助手,自动决策是否需要联网搜索";
const decidesItself = "Agent 模式下由 AI 自动决策搜索";

/** A chat whose models, parameters, modes and search are changed on the way, and a second one beside it. */
const session = once(async () => {
  const HOME = await temporaryFolder();
  const here = await openSession({ env: { HOME } });
  const { terminal, provider, search } = here;
  const now = () => terminal.rows().join("\n").trimEnd();
  let bills = 0;
  async function asks(question: string): Promise<string> {
    terminal.type(`${question}\r`);
    bills += 1;
    await terminal.repeats(" · 共 ", bills);
    return terminal.follows(`> ${question}`, " · 共 ");
  }
  async function commands(line: string, reply: string): Promise<string> {
    terminal.type(`${line}\r`);
    return terminal.follows(`> ${line}`, reply);
  }

  provider.script("deepseek-flash", { text: "第一答。", usage: { input: 120, output: 30 } }, { text: "第二答。" });
  await terminal.stands("Chat 模式");
  const welcomed = now();
  const first = await asks("第一问");
  const temperature = await commands("/set temperature 0.3", "temperature：");
  const maxTokens = await commands("/set max_tokens 500", "max_tokens：");
  await asks("第二问");
  const model = await commands("/model openai/gpt-4", "已切换到模型");
  const said = Promise.withResolvers<void>();
  provider.script("gpt-4", { text: "第三答，", hang: "after-text", until: said.promise });
  terminal.type("第三问\r");
  await terminal.stands("第三答，");
  const whileChatting = now();
  said.resolve();
  bills += 1;
  await terminal.repeats(" · 共 ", bills);

  const searchOn = await commands("/search on", "联网搜索：开");
  provider.script("gpt-4", { text: "明天多云[1]。" });
  const searched = await asks("上海明天天气");
  const queriesInChat = search.journal.map(({ query }) => query);

  terminal.type("/mode\r");
  await terminal.stands("💬 对话模式");
  const picker = now();
  terminal.press("down");
  await terminal.stands("❯ Agent 模式");
  const moved = now();
  terminal.press("enter");
  await terminal.shows("已切换到 Agent 模式，对话历史已清除。");
  await terminal.hides("❯ Agent 模式");
  const switched = now();
  const barred = await commands("/search off", decidesItself);
  const config = await commands("/config", "最大迭代次数");
  const before = provider.journal.length;
  provider.script("gpt-4", { toolCalls: [searchFor("上海明天天气")] }, { text: "Agent 查到：多云[1]。" });
  const agentAnswer = await asks("上海明天天气");
  const agentRequests = provider.journal.slice(before);
  const failure = { status: 401, body: '{"error":{"message":"Incorrect API key"}}' };
  provider.script("gpt-4", failure);
  const failed = await asks("这次会失败");
  const afterFailure = now();

  const back = await commands("/mode chat", "已切换到 Chat 模式，对话历史已清除。");
  const queriesBefore = search.journal.length;
  provider.script("gpt-4", { text: "又查了一次[1]。" });
  await asks("上海明天天气");
  const queriesAfter = search.journal.length;
  const backAtPrompt = now();
  const searchOff = await commands("/search off", "联网搜索：关");
  provider.script("gpt-4", { text: "这次没有查。" });
  await asks("那么后天呢");
  const queriesWhenOff = search.journal.length;
  await commands("/mode agent", "已切换到 Agent 模式，对话历史已清除。");
  terminal.type("/mode\r");
  await terminal.stands("💬 对话模式");
  const pickerAfterCommand = now();
  terminal.press("escape");
  await terminal.hides("💬 对话模式");
  const help = await commands("/help", agentHelp);

  const other = await openSession({ env: { HOME, DEFAULT_MODE: "agent" } });
  await other.terminal.stands("Agent 模式");
  const otherWelcomed = other.terminal.rows().join("\n");
  terminal.type("/exit\r");
  const code = await terminal.ended();
  other.provider.script("deepseek-flash", { text: "另一个会话。" });
  other.terminal.type("你还在吗？\r");
  await other.terminal.stands("另一个会话。");
  const [otherTold, otherBody] = [
    toldTo(other.provider, "deepseek-flash", 0),
    requestTo(other.provider, "deepseek-flash", 0).body,
  ];
  other.terminal.press("ctrl-d");
  await other.terminal.ended();
  const next = await openSession({ env: { HOME } });
  await next.terminal.stands("deepseek/deepseek-chat");
  const nextWelcomed = next.terminal.rows().join("\n").trimEnd();
  next.provider.script("deepseek-flash", { text: "下一个会话。" });
  next.terminal.type("重新开始\r");
  await next.terminal.stands("下一个会话。");
  const nextRequest = requestTo(next.provider, "deepseek-flash");
  next.terminal.press("ctrl-d");
  await next.terminal.ended();
  return {
    ...{ provider, welcomed, first, temperature, maxTokens, model, whileChatting, searchOn, searched, queriesInChat },
    ...{ picker, moved, switched, barred, config, agentAnswer, agentRequests, failed, afterFailure, back },
    ...{ queriesBefore, queriesAfter, backAtPrompt, searchOff, queriesWhenOff, pickerAfterCommand },
    ...{ help, otherWelcomed, otherTold, otherBody, nextWelcomed, nextRequest, code },
  };
});

function promptOf(screen: string): string {
  return screen.split("\n").findLast((line) => / > ?$/.test(line)) ?? "";
}

describe("Chainlit界面集成", () => {
  test("对话式测试界面: a message is answered by the configured model, and the tokens and the time are told", async () => {
    const { provider, first } = await session();
    expect(toldTo(provider, "deepseek-flash", 0)).toContain("第一问");
    expect(first).toContain("第一答。");
    expect(first).toMatch(/回答 deepseek\/deepseek-chat ×1 120→30 tok · 共 150 tok · \d+\.\d s/);
  });

  test("模型切换功能: another provider is chosen in the chat, and answers what follows", async () => {
    const { provider, model } = await session();
    expect(model).toMatch(/已切换到模型 openai\/gpt-4/);
    expect(toldTo(provider, "gpt-4", 0)).toContain("第三问");
    expect(provider.requests("deepseek-flash")).toHaveLength(2);
  });

  test("参数调节功能: temperature and max_tokens are changed in the chat, told in one line, and reach the next call", async () => {
    const { provider, temperature, maxTokens } = await session();
    expect(temperature).toMatch(/temperature：0\.7 → 0\.3/);
    expect(maxTokens).toMatch(/max_tokens：2000 → 500/);
    expect(requestTo(provider, "deepseek-flash", 0).body).toMatchObject({ temperature: 0.7, max_tokens: 2000 });
    expect(requestTo(provider, "deepseek-flash", 1).body).toMatchObject({ temperature: 0.3, max_tokens: 500 });
  });
});

describe("对话模式选择", () => {
  test("模式选择器显示: the picker has both modes, each with a short explanation", async () => {
    const { picker } = await session();
    expect(picker).toMatch(/Chat 模式 +(● )?常规对话/);
    expect(picker).toMatch(/Agent 模式 +智能助手/);
  });

  test("默认模式配置: DEFAULT_MODE chooses it, chat is the default, and the welcome says which it is", async () => {
    const { welcomed, otherWelcomed } = await session();
    expect(welcomed).toMatch(/Duet · Chat 模式/);
    expect(otherWelcomed).toMatch(/Duet · Agent 模式/);
  });

  test("模式切换: the mode is another at once, the history is cleared, and it is confirmed", async () => {
    const { switched, agentRequests } = await session();
    expect(switched).toContain("已切换到 Agent 模式，对话历史已清除。");
    expect(JSON.stringify(agentRequests[0]?.body.messages)).not.toContain("第三问");
    expect(agentRequests[0]?.body.tools).toBeDefined();
  });

  test("模式说明: the explanations are the requirement's", async () => {
    const { picker } = await session();
    for (const words of [chatHelp, agentHelp]) expect(picker).toContain(words);
  });
});

describe("Chat 模式处理", () => {
  test("Chat 模式消息处理: the answer streams, and the search switch is the reader's", async () => {
    const { whileChatting, searchOn } = await session();
    expect(whileChatting).toContain("第三答，");
    expect(searchOn).toContain("联网搜索：开");
  });

  test("Chat 模式搜索控制: once it is on, a message is searched for before it is answered; once it is off, none is", async () => {
    const { queriesInChat, searched, searchOff, queriesAfter, queriesWhenOff } = await session();
    expect(queriesInChat).toEqual(["上海明天天气"]);
    expect(searched).toMatch(/明天多云\[1\]。/);
    expect(searched).toContain("https://tianqi.example/shanghai");
    expect(searchOff).toContain("联网搜索：关");
    expect(queriesWhenOff).toBe(queriesAfter);
  });

  test("Chat 模式向后兼容: one call, no tools, no rounds, no evaluation", async () => {
    const { provider, first } = await session();
    expect(requestTo(provider, "deepseek-flash", 0).body.tools).toBeUndefined();
    expect(first).not.toMatch(/⚖|🧭|🔧/u);
  });
});

describe("Agent 模式处理", () => {
  test("Agent 模式消息处理: the agent decides to search by itself, and its steps are on the screen", async () => {
    const { agentAnswer } = await session();
    const order = ["web_search", "Agent 查到：多云[1]。", "⚖ ", " · 共 "];
    expect(inOrder(agentAnswer, order)).toEqual(order);
  });

  test("Agent 模式搜索开关禁用: the switch is shown as disabled, with the requirement's sentence, and cannot be moved", async () => {
    const { switched, barred, back } = await session();
    expect(switched).toContain(`联网搜索开关已禁用：${decidesItself}`);
    expect(barred).toContain(decidesItself);
    expect(barred).not.toContain("联网搜索：关");
    expect(back).toContain("联网搜索：开");
  });

  test("Agent 模式错误降级: a failed run says why, advises chat mode, and does not switch by itself", async () => {
    const { failed, afterFailure } = await session();
    expect(failed).toMatch(/✗ .*认证失败/);
    expect(failed).toContain("/mode chat");
    expect(afterFailure.split("\n").slice(-3).join("\n")).toContain("Agent 模式");
  });
});

describe("模式状态管理", () => {
  test("模式状态保存: the mode holds for every message until it is changed", async () => {
    const { provider, agentRequests } = await session();
    expect(agentRequests).toHaveLength(2);
    const withTools = provider.requests("gpt-4").map(({ body }) => Array.isArray(body.tools));
    expect(withTools).toEqual([false, false, true, true, true, false, false]);
  });

  test("模式状态读取: the first message of a session goes by the default, each later one by the mode in force", async () => {
    const { provider, otherTold, otherBody } = await session();
    expect(requestTo(provider, "deepseek-flash", 0).body.tools).toBeUndefined();
    expect(otherTold).toContain("你还在吗？");
    expect(otherBody.tools).toBeDefined();
  });

  test("模式切换时历史清理: history and kept search results are gone", async () => {
    const { provider, queriesBefore, queriesAfter } = await session();
    expect(toldTo(provider, "gpt-4", 2)).not.toContain("明天多云[1]。");
    expect(toldTo(provider, "gpt-4", 5)).not.toContain("Agent 查到");
    expect(queriesAfter).toBe(queriesBefore + 1);
  });

  test("会话结束清理: a session that ends leaves another one as it was, and nothing behind for the next", async () => {
    const { code, otherTold, nextWelcomed, nextRequest } = await session();
    expect(code).toBe(0);
    expect(otherTold).not.toMatch(/第一问|上海明天天气/);
    expect(promptOf(nextWelcomed)).toMatch(/^Chat 模式 > ?$/);
    expect(nextRequest.body).toMatchObject({ temperature: 0.7, max_tokens: 2000 });
    expect(JSON.stringify(nextRequest.body.messages)).not.toMatch(/第一问|上海明天天气|你还在吗/);
  });
});

describe("模式 UI 组件", () => {
  test("设置面板模式选择器: it is titled 💬 对话模式 and lists the modes", async () => {
    const { picker } = await session();
    const order = ["💬 对话模式", "Chat 模式", "Agent 模式"];
    expect(inOrder(picker, order)).toEqual(order);
  });

  test("模式选择器交互: the mode in force is marked, the arrow keys move, and Enter switches at once", async () => {
    const { picker, moved, switched } = await session();
    expect(picker).toContain("❯ Chat 模式");
    expect(moved).toContain("❯ Agent 模式");
    expect(moved).not.toContain("❯ Chat 模式");
    expect(switched).not.toContain(agentHelp);
  });

  test("模式指示器: the mode stands at the prompt, and changes with it", async () => {
    const { welcomed, switched } = await session();
    expect(promptOf(welcomed)).toContain("Chat 模式");
    expect(promptOf(switched)).toContain("Agent 模式");
  });

  test("搜索开关状态联动: disabled in agent mode with the reason, usable again in chat mode, as it was", async () => {
    const { switched, back } = await session();
    expect(switched).toContain(decidesItself);
    expect(back).toContain("联网搜索：开");
  });
});

describe("模式相关命令", () => {
  test("查看当前模式: /config shows the mode and what is configured for it", async () => {
    const { config } = await session();
    expect(config).toContain("Agent 模式");
    expect(config).toMatch(/最大迭代次数\D*5/);
  });

  test("通过命令切换模式 (可选): /mode chat and /mode agent switch and confirm; the prompt and the picker follow", async () => {
    const { back, backAtPrompt, pickerAfterCommand, provider } = await session();
    expect(promptOf(backAtPrompt)).toContain("Chat 模式");
    expect(pickerAfterCommand).toContain("❯ Agent 模式");
    expect(back).toContain("已切换到 Chat 模式，对话历史已清除。");
    expect(provider.requests("gpt-4").at(-1)?.body).toBeDefined();
    expect(provider.requests("gpt-4").at(-1)?.body.tools).toBeUndefined();
  });

  test("帮助命令更新: /help tells the modes, their difference and how to switch", async () => {
    const { help } = await session();
    for (const words of ["/mode", "Chat 模式", chatHelp, "Agent 模式", agentHelp]) expect(help).toContain(words);
  });
});

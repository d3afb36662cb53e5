import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createDuet } from "../../../src/index.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import {
  calculate,
  embed,
  modelsOf,
  offered,
  once,
  question,
  request,
  searchFor,
  setScene,
  systemPrompt,
} from "./two-models.ts";

/** Returns the prompts of the models for a Chinese and for an English question. */
const prompts = once(async () => {
  const scene = await setScene();
  // Only who has something to cite is told how.
  const search = { toolCalls: [searchFor("上海 明天 天气预报")] };
  scene.provider.script("cheap", search, { text: "够了。" }, search, { text: "Enough." });
  scene.provider.script("strong", { text: "多云。" }, { text: "Cloudy." });
  const duet = await embed(scene);
  await duet.ask(question);
  await duet.ask("What will the weather be in Shanghai tomorrow?");
  const [decide, , decideEnglish] = scene.provider.requests("cheap").map(systemPrompt);
  const [answer, answerEnglish] = scene.provider.requests("strong").map(systemPrompt);
  return { scene, decide, decideEnglish, answer, answerEnglish };
});

/** A folder with these files. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

describe("Agent Prompt 模板", () => {
  test("系统提示词定义: the agent's duty, its tools and how to use them, and the form of thought and action", async () => {
    const { scene, decide, decideEnglish } = await prompts();
    expect(decide).toMatch(/你是.{0,10}智能体/);
    expect(decide).toMatch(/用工具完成用户的请求/);
    expect(decide).toMatch(/调用前.{0,5}用一.{0,3}句话说明.{0,10}做什么、为什么/);
    expect(decideEnglish).toMatch(/You are an agent/);
    expect(decideEnglish).toMatch(/Use the tools to do what the user asks/i);
    expect(decideEnglish).toMatch(/Before a call, say in .{0,10} sentences? what you will do/);
    const tools = offered(request(scene, "cheap"));
    expect(tools.length).toBeGreaterThan(4);
    for (const tool of tools)
      expect(tool).toMatchObject({
        name: expect.stringMatching(/./),
        description: expect.stringMatching(/.{4,}/),
        parameters: { type: "object", properties: expect.any(Object) },
      });
  });

  test("工具使用指导: when to search, how to write a query, and how to read what it finds", async () => {
    const { decide, decideEnglish } = await prompts();
    expect(decide).toMatch(/最新事件、实时数据.{0,20}需要核实/);
    expect(decide).toMatch(/查询要具体.*如“.+”，而不是“.+”/);
    expect(decide).toMatch(/标题、网址和摘要.{0,10}判断.{0,12}可信/);
    expect(decideEnglish).toMatch(/recent events, live data/);
    expect(decideEnglish).toMatch(/queries specific, .*".+", not ".+"/);
    expect(decideEnglish).toMatch(/judge .*result.* by its title, address and snippet/i);
  });

  test("停止条件说明: when to stop, and an answer that is accurate, complete and cites", async () => {
    const { decide, decideEnglish, answer, answerEnglish } = await prompts();
    expect(decide).toMatch(/信息足够.{0,20}新信息时，不再调用工具/);
    expect(decideEnglish).toMatch(/when you have enough.{0,60}call no tool/i);
    expect(answer).toMatch(/准确、完整地回答/);
    expect(answer).toMatch(/网页.{0,30}句末写这个编号，如 \[1\]/);
    expect(answerEnglish).toMatch(/answer .*accurately and completely/i);
    expect(answerEnglish).toMatch(/number .*after the sentence .*, like \[1\]/);
  });

  test("停止条件说明: a model that plays both parts is told to answer itself", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "多云。" });
    await (await embed(scene, { models: { functionCall: modelsOf(scene).cheap } })).ask(question);
    const alone = systemPrompt(request(scene, "cheap"));
    expect(alone).toMatch(/信息足够.{0,40}直接.{0,10}回答/);
    expect(alone).toMatch(/准确、完整地回答/);
    expect(alone).toMatch(/编号，如 \[1\]/);
  });

  test("Prompt 优化: prompts are files that the configuration names, with variants for models and languages", async () => {
    const directory = await folderWith({
      "decide.md": "任何模型。{untrusted}",
      "decide.openai.md": "OpenAI 的变体，今天 {today}。{untrusted}",
      "zh/answer.strong.md": "strong 的中文变体。{untrusted}",
      "en/answer.strong.md": "The English variant for strong. {untrusted}",
    });
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" });
    scene.provider.script("strong", { text: "42。" });
    const duet = await embed(scene, { config: { prompts: { directory } } });
    await duet.ask("6 乘 7 是多少？");
    expect(systemPrompt(request(scene, "cheap"))).toMatch(/^OpenAI 的变体，今天 20\d\d-\d\d-\d\d。/);
    expect(systemPrompt(request(scene, "strong"))).toMatch(/^strong 的中文变体。/);
  });

  test("Prompt 优化: a prompt that could not work is refused before anything runs", async () => {
    const directory = await folderWith({ "decide.md": "没有数据的标记。" });
    const refused = createDuet({ models: { functionCall: "offline" }, config: { prompts: { directory } } });
    await expect(refused).rejects.toMatchObject({ code: "config", message: expect.stringContaining("decide.md") });
  });
});

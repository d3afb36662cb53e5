import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDuet, DuetError } from "../../../src/index.ts";
import { verdictsOf } from "../../fakes/events.ts";
import { compileCache, configFile, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import { ask, calculate, embed, follow, hear, once, request, searchFor, setScene, told } from "./two-models.ts";

/** The limits in force, as `duet config show` has them: by default, and at both ends of what is allowed. */
const limitsInForce = once(async () => {
  const settings: Record<string, string>[] = [
    {},
    { AGENT_MAX_ITERATIONS: "1", AGENT_MAX_EXECUTION_TIME: "10" },
    { AGENT_MAX_ITERATIONS: "10", AGENT_MAX_EXECUTION_TIME: "300" },
  ];
  const shown = await Promise.all(settings.map((env) => runProgram(["config", "show", "--output", "json"], { env })));
  return shown.map(({ stdout }): Record<string, unknown> => JSON.parse(stdout).values.agent);
});

/** How a value of a variable is refused. */
async function refusal(name: string, value: string): Promise<string> {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const refused = await createDuet().catch((error: unknown) => error);
  return refused instanceof DuetError ? `${refused.code} ${refused.text.zh}` : `accepted: ${refused}`;
}

describe("Agent 配置", () => {
  test("最大迭代次数配置: from AGENT_MAX_ITERATIONS, 5 by default, 1 to 10, and it is obeyed", async () => {
    expect((await limitsInForce()).map(({ maxIterations }) => maxIterations)).toEqual([5, 1, 10]);
    for (const value of ["0", "11", "2.5", "many"])
      expect(await refusal("AGENT_MAX_ITERATIONS", value)).toMatch(
        /^config AGENT_MAX_ITERATIONS: 不能是 .+（允许：1 到 10 的整数）$/,
      );

    vi.stubEnv("AGENT_MAX_ITERATIONS", "2");
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [calculate("1+1")] }, { toolCalls: [calculate("2+2")] });
    scene.provider.script("strong", { text: "2 和 4。" });
    const { outcome, events } = await follow(await embed(scene), "一直算下去");
    expect(scene.provider.requests("cheap")).toHaveLength(2);
    expect(verdictsOf(events).at(-1)).toBe("answer iteration-limit");
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "iteration_limit", response: "2 和 4。" });
  });

  test("最大执行时间配置: from AGENT_MAX_EXECUTION_TIME, 60 seconds by default, 10 to 300", async () => {
    expect((await limitsInForce()).map(({ maxExecutionTime }) => maxExecutionTime)).toEqual([60, 10, 300]);
    for (const value of ["9", "301", "-1", "soon"])
      expect(await refusal("AGENT_MAX_EXECUTION_TIME", value)).toMatch(
        /^config AGENT_MAX_EXECUTION_TIME: 不能是 .+（允许：10 到 300 的整数）$/,
      );
  });

  test("执行超时处理: what is still running is stopped, the results so far become the answer, and the screen says so", async () => {
    const journal = join(await temporaryFolder(), "journal");
    const slow = {
      command: process.execPath,
      args: [resolve("test/fakes/mcp.ts"), "--mode", "hang-on-call", "--journal", journal],
      env: compileCache(),
    };
    const config = await configFile({ mcpServers: { slow } });
    const env = { AGENT_MAX_EXECUTION_TIME: "10" };
    const [inTool, inAnswer] = await Promise.all([setScene(), setScene()]);
    inTool.provider.script("cheap", {
      toolCalls: [calculate("6*7"), { name: "slow__echo", arguments: { text: "x" } }],
    });
    inTool.provider.script("strong", { text: "已知结果是 42。" });
    inAnswer.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { hang: "before-headers" });
    inAnswer.provider.script("strong", { hang: "before-headers" });
    const [answered, bare] = await Promise.all([
      ask(inTool, "6 乘 7，再等一等", ["--config", config], { env }),
      ask(inAnswer, "6 乘 7", [], { env }),
    ]);

    expect(answered.stderr).toContain(
      "⚠ 这是不完整的回答：执行超时。上限是 10 秒，可用 --max-execution-time 40 调高。",
    );
    expect(answered).toMatchObject({ code: 3, stdout: "已知结果是 42。\n" });
    expect(told(request(inTool, "strong"))).toContain("6*7 = 42");
    expect(await readFile(journal, "utf8")).toContain("notifications/cancelled");

    // No model can write any more: the results themselves stand as the answer.
    expect(bare.stderr).toContain("执行超时");
    expect(bare).toMatchObject({ code: 3, stdout: expect.stringContaining("6*7 = 42") });
    expect(bare.stdout).toContain("没有模型能够写出回答，以下是已有的中间结果：");
    expect(request(inAnswer, "strong").aborted).toBe(true);
  });

  test("详细日志配置: with AGENT_VERBOSE each thought and each tool's input and output are told in full", async () => {
    const thought = `先查预报。${"理由很长。".repeat(80)}完。`;
    const [brief, verbose] = await Promise.all([setScene(), setScene()]);
    for (const { provider } of [brief, verbose]) {
      provider.script("cheap", { text: thought, toolCalls: [searchFor("上海 明天 天气预报")] }, { text: "够了。" });
      provider.script("strong", { text: "多云[1]。" });
    }
    const [folded, logged] = await Promise.all([
      hear(brief, "上海明天天气？"),
      hear(verbose, "上海明天天气？", [], { env: { AGENT_VERBOSE: "true" } }),
    ]);
    expect(folded.stderr).toBe("");
    expect(logged.stderr).toContain(`💭 ${thought}`);
    expect(logged.stderr).toContain('── web_search {"query":"上海 明天 天气预报"}\n[1] 上海天气预报');
    expect(logged.stderr).toContain("适合户外活动。");
    expect(logged.stderr).toContain("💭 够了。");
  });
});

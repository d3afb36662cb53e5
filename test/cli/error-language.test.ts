import { expect, test } from "vitest";
import { configFile } from "../fakes/program.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const english = { LANG: "en_US.UTF-8" };
const chinese = { LANG: "zh_CN.UTF-8" };

test.each([
  [["trace", "nope"], "没有名为 nope 的运行", "there is no run named nope"],
  [["ask", "hi", "--file", "nope.txt"], "没有这个文件", "does not exist"],
  [["ask", "hi", "--nonsense"], "--nonsense", "--nonsense"],
  [["tools", "call", "nope"], "没有名为 nope 的工具", "there is no tool named nope"],
])("the error with which duet %j ends is in the language that the configuration sets", async (args, zh, en) => {
  const [zhFile, enFile] = await Promise.all([configFile({ locale: "zh" }), configFile({ locale: "en" })]);
  const inChinese = await runWarmProgram([...args, `--config=${zhFile}`], { env: english });
  expect(inChinese.stderr).toContain(zh);
  expect(inChinese.stderr).toMatch(/\p{Script=Han}/u);
  const inEnglish = await runWarmProgram([...args, "--config", enFile], { env: chinese });
  expect(inEnglish.stderr).toContain(en);
  expect(inEnglish.stderr).not.toMatch(/\p{Script=Han}/u);
  const byFlag = await runWarmProgram([...args, "--config", zhFile, "--locale", "en"], { env: chinese });
  expect(byFlag.stderr).toBe(inEnglish.stderr.replaceAll(enFile, zhFile));
});

test("so is help, and a fault of the configuration itself is told as it is", async () => {
  const good = await configFile({ locale: "zh" });
  expect((await runWarmProgram(["--help", "--config", good], { env: english })).stdout).toContain("命令：");
  const faulty = await configFile({ locale: "zh", search: { maxResults: 0 } });
  const { code, stderr } = await runWarmProgram(["ask", "hi", "--config", faulty], { env: english });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^duet: .*search\.maxResults.*允许.*\n$/)]);
  const wrong = await configFile({ locale: "fr" });
  const other = await runWarmProgram(["ask", "hi", "--config", wrong], { env: english });
  expect(other.stderr).toMatch(/^duet: .*locale.*"fr".*allowed: zh, en/);
  const missing = await runWarmProgram(["ask", "hi", "--config", "/nowhere/x.json"], { env: chinese });
  expect(missing.stderr).toMatch(/^duet: .*\/nowhere\/x\.json.*没有/);
});

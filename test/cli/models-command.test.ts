import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runModelsCommand } from "../../src/cli/models-command.ts";
import { countCells } from "../../src/cli/terminal/text/width.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

/** What each table says of a value, by the column that must be the same in every row. */
const columns = {
  en: {
    values: [
      "openai/gpt-4o-mini",
      "openai-chat",
      "30 s",
      "60 s",
      "128000 tokens",
      "tools, images",
      "$0.15 in",
      "xai/grok-4.7",
    ],
    answer: [
      "anthropic/claude-sonnet-4-5",
      "anthropic-messages",
      "30 s",
      "60 s",
      "200000 tokens",
      "tools, images",
      "$3 in",
    ],
    origins: ["/", "vendor default", "default", "default", "vendor default", "model list of", "price list of", "/"],
  },
  zh: {
    values: [
      "openai/gpt-4o-mini",
      "openai-chat",
      "30 秒",
      "60 秒",
      "128000 个 token",
      "函数调用、看图",
      "输入 $0.15",
      "xai/grok-4.7",
    ],
    answer: [
      "anthropic/claude-sonnet-4-5",
      "anthropic-messages",
      "30 秒",
      "60 秒",
      "200000 个 token",
      "函数调用、看图",
      "输入 $3",
    ],
    origins: ["/", "内置默认（按服务商）", "默认", "默认", "内置默认（按服务商）", "模型表（", "价格表（", "/"],
  },
};

test.each(["en", "zh"] as const)(
  "duet models (%s) indents what it says of each model, and the columns of both models line up",
  async (locale) => {
    const { values, answer, origins } = columns[locale];
    const blocks = (await showModels(locale)).split("\n\n").map((block) => block.trimEnd().split("\n"));
    const indents = blocks.map((block) => block.map((line) => line.length - line.trimStart().length));
    expect(indents).toEqual([
      [0, 2, 2, 2, 2, 2, 2, 2],
      [0, 2, 2, 2, 2, 2, 2],
    ]);
    const lines = blocks.flat();
    const starts = [
      [...values, ...answer],
      [...origins, ...origins.slice(0, -1)],
    ].map((texts) => [...new Set(lines.map((line, row) => startOf(line, texts[row])))]);
    expect(starts).toEqual([[expect.any(Number)], [expect.any(Number)]]);
  },
);

test("duet models says which configuration it does not use, beside its table", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, ".git"));
  await writeFile(join(cwd, "duet.config.json"), JSON.stringify({ models: { functionCall: "openai/gpt-4o-mini" } }));
  for (const output of ["text", "json"]) {
    const { code, stdout, stderr } = await runWarmProgram(["models", "--output", output], { cwd, env: { HOME: cwd } });
    expect([code, stdout]).toEqual([0, expect.stringContaining("offline/rules")]);
    expect(stderr).toMatch(/^duet: .*duet\.config\.json \(0 servers\): not used, because .*duet config trust\n$/);
  }
});

async function showModels(locale: "en" | "zh"): Promise<string> {
  const config = join(await temporaryFolder(), "duet.config.json");
  const models = {
    functionCall: { provider: "openai", model: "gpt-4o-mini", fallbacks: ["xai"] },
    answer: { provider: "anthropic", model: "claude-sonnet-4-5" },
  };
  await writeFile(config, JSON.stringify({ models, locale }));
  const written: string[] = [];
  await runModelsCommand({
    config: await loadConfig({ config }),
    output: "text",
    write: (lines) => written.push(lines),
  });
  return written.join("");
}

/** The column of the terminal where a cell begins that starts with a text; undefined where there is none. */
function startOf(line: string, text = ""): number | undefined {
  const at = line.indexOf(`  ${text}`);
  return at < 0 ? undefined : countCells(line.slice(0, at + 2));
}

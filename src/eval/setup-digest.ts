import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readUserPrompts } from "../app/agent/user-prompts.ts";
import { createKnownRedactor } from "../app/open-duet.ts";
import type { Config } from "../config/config.ts";
import { configError } from "../config/config-errors.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import type { Text } from "../kit/locale.ts";
import type { CaseFile } from "./case-file.ts";
import type { PromptSet } from "./matrix.ts";
import { toSortedJson } from "./recording/plain-request.ts";

/** Holds digests of what every attempt runs with, by the names of the parts. It tells whether results can stand beside new ones. */
export type Setup = Readonly<Record<string, string>>;

export interface SetupParts {
  config: Config;
  file: Pick<CaseFile, "judge" | "recordedTools">;
  promptSets: readonly PromptSet[];
}

/** Reads what the attempts run with. A folder of prompts that cannot be read is refused here; keys make no difference. */
export async function hashSetup({ config, file, promptSets }: SetupParts): Promise<Setup> {
  const { redact } = createKnownRedactor(config);
  const { agent, models, providers, mcpServers, tools, search, web } = config.settings;
  const isApart = file.recordedTools !== undefined;
  const settings = { agent, models, providers, tools, search, web, ...(!isApart && { mcpServers }) };
  const prompts = promptSets.map(async ({ name, directory }) => {
    const texts = directory === undefined ? [] : await readUserPrompts(directory);
    // The same prompts in another folder are the same.
    return [`prompts ${name}`, texts.map(({ file: _, ...prompt }) => prompt)] as const;
  });
  const book =
    file.recordedTools === undefined
      ? null
      : await ignoreRejection(readFile(file.recordedTools, "utf8"), "whoever reads the recording tells why it cannot");
  const parts = {
    settings: { settings, models: [config.models, config.agent.maxTokens] },
    judge: file.judge ?? null,
    recordedTools: book ?? null,
    ...Object.fromEntries(await Promise.all(prompts)),
  };
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const written = redact(toSortedJson(JSON.parse(JSON.stringify(part))));
      return [name, createHash("sha256").update(written).digest("hex").slice(0, 16)];
    }),
  );
}

/** Throws a `config` error that names what has changed since. What is new, such as one more folder of prompts, is no change. */
export function refuseOtherSetup(file: string, earlier: Setup, setup: Setup): void {
  const changed = Object.entries(setup)
    .filter(([name, digest]) => (earlier[name] ?? digest) !== digest)
    .map(([name]) => partTexts[name] ?? { zh: name, en: name });
  if (changed.length === 0) return;
  const [zh, en] = [changed.map((text) => text.zh).join("、"), changed.map((text) => text.en).join(", ")];
  throw configError(file, {
    zh: `其中的结果得出之后有改动：${zh}（允许：改回原样，或删除这个文件从头开始）`,
    en: `what its results were made with has changed: ${en} (allowed: change it back, or remove the file to begin anew)`,
  });
}

const partTexts: Readonly<Record<string, Text>> = {
  settings: { zh: "设置", en: "settings" },
  judge: { zh: "评判模型", en: "judge" },
};

import type { LimitRow } from "../../core/limits/limit-row.ts";
import { defaultedLimits, limitRows, mapLimits, optionalLimits } from "../../core/limits/limits.ts";
import { removeFinalStop } from "../../kit/text/remove-final-stop.ts";
import { defineGroup, defineSetting, type SettingFacts } from "./setting.ts";

/** Holds the limits of a run as settings under `agent`. Their rows are in `src/core/limits/limits.ts`. */
export const limitSettings = {
  // Keeps the order of the rows, in which errors list the keys; the entries below replace these.
  ...mapLimits(limitRows, ({ key }) => key, toOptional),
  ...mapLimits(
    defaultedLimits,
    ({ key }) => key,
    (row) => defineSetting(({ limit }) => limit(row).default(row.default), toFacts(row)),
  ),
  ...mapLimits(optionalLimits, ({ key }) => key, toOptional),
};

function toOptional(row: LimitRow) {
  return defineSetting(({ limit }) => limit(row).optional(), toFacts(row));
}

function toFacts({ help, fileHelp, environment, flag, flagPath }: LimitRow): SettingFacts {
  const facts = { help: { zh: toFragment(help.zh), en: toFragment(help.en) }, fileHelp, environment };
  const absent = { zh: "无", en: "none" };
  return { ...facts, absent, kind: "number", flag: flag === undefined ? undefined : { name: flag, path: flagPath } };
}

/** Converts a sentence to the fragment that stands in a table. */
function toFragment(sentence: string): string {
  const start = /^[A-Z]{2}/.test(sentence) ? sentence.charAt(0) : sentence.charAt(0).toLowerCase();
  return removeFinalStop(`${start}${sentence.slice(1)}`);
}

const noBudget = { zh: "无", en: "none" };

export const agentSettings = defineGroup(
  {
    mode: defineSetting(({ z }) => z.enum(["chat", "agent", "plan"]).optional(), {
      help: {
        zh: "聊天开始时的[模式](modes.zh.md)，也是嵌入 Duet 的程序提问时的默认模式",
        en: "the [mode](modes.md) in which the chat starts, and of questions of programs that embed Duet",
      },
      fileHelp: "The mode in which the terminal chat starts.",
      absent: { zh: "`chat`", en: "`chat`" },
      flag: { name: "mode", help: { zh: "怎样回答", en: "how to answer" }, choices: ["chat", "agent", "plan"] },
    }),
    ...limitSettings,
    budgets: defineGroup(
      {
        tokensPerConversation: defineSetting(({ z }) => z.int().min(1).optional(), {
          help: { zh: "一个对话的 token 数", en: "tokens of one conversation" },
          fileHelp: "Tokens of one conversation.",
          absent: noBudget,
        }),
        costPerConversation: defineSetting(({ z }) => z.number().gt(0).optional(), {
          help: { zh: "一个对话的美元数", en: "US dollars of one conversation" },
          fileHelp: "US dollars of one conversation, for models whose price is known.",
          absent: noBudget,
        }),
        tokensPerDay: defineSetting(({ z }) => z.int().min(1).optional(), {
          help: { zh: "每日（UTC）token 数", en: "tokens in a day of UTC" },
          fileHelp: "Tokens in a day of UTC.",
          absent: noBudget,
        }),
        costPerDay: defineSetting(({ z }) => z.number().gt(0).optional(), {
          help: { zh: "每日（UTC）美元数", en: "US dollars in a day of UTC" },
          fileHelp: "US dollars in a day of UTC, for models whose price is known.",
          absent: noBudget,
        }),
      },
      { fileHelp: "Budgets beside that of a run, for each owner of conversations. At 80 % a run warns." },
    ),
    functionCallTemperature: defineSetting(({ z }) => z.number().min(0).max(1).optional(), {
      help: {
        zh: "选择工具的模型没有写 temperature 时的值，包括按密钥选出的模型",
        en: "temperature of the model that picks tools where none is written, also of one chosen by its key",
      },
      fileHelp:
        "0 to 1: temperature of models.functionCall where it names none, also of a model that is chosen by its key.",
      absent: { zh: "0.7", en: "0.7" },
    }),
    onLimit: defineSetting(({ z }) => z.enum(["stop", "ask"]).default("stop"), {
      help: {
        zh: "达到限制时：停止并根据已有信息回答，或先询问用户（无人答复则停止）",
        en: "at a limit: stop and answer from what there is, or ask the person first (without a reply it stops)",
      },
      fileHelp: "At a limit: stop and answer from what there is, or ask the person first. Without a reply it stops.",
    }),
    finishAnswer: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "正在书写的回答可以超过时间限制，最多再写 10 分钟",
        en: "an answer that is being written may pass the time limit, by 10 minutes at most",
      },
      fileHelp: "true: an answer that is being written may pass the time limit, by 10 minutes at most.",
    }),
    keepHistory: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "切换模式或模型时保留对话历史，而不是清除后再询问",
        en: "a switch of the mode or a model carries the history over, instead of clearing it and offering to",
      },
      fileHelp: "true: a switch of the mode or a model carries the history over.",
    }),
    rules: defineSetting(({ z }) => z.enum(["off", "first"]).default("off"), {
      help: {
        zh: "`first`：简单明确的请求[先按规则回答](modes.zh.md#规则优先)，不用模型",
        en: "`first`: plain requests are [answered by rule](modes.md#rules-first), without a model",
      },
      fileHelp: "first: plain requests (the time, a calculation, a file search) are answered by rule, without a model.",
    }),
    acceptAnswer: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "两个角色是同一个模型时，选择工具的模型写出的回答就是回答，不再写第二遍",
        en: "where both roles are one model, what it writes while choosing tools is the answer and is not written again",
      },
      fileHelp: "Where both roles are the same model, take the answer that it writes while it chooses tools.",
    }),
    repeatable: defineSetting(({ patterns }) => patterns.default([]), {
      help: { zh: "可以重复得到相同结果的工具（轮询）", en: "tools that may be called again with the same result" },
      fileHelp: "Tools that may be called again with the same result: polling.",
    }),
    plan: defineGroup({
      unattended: defineSetting(({ z }) => z.enum(["run", "stop"]).default("run"), {
        help: { zh: "无人可问时如何处理计划", en: "what happens to a plan where nobody can be asked" },
        fileHelp: "What an interface that cannot ask does with a plan: run it, or stop for confirmation.",
      }),
      onFailure: defineSetting(({ z }) => z.enum(["replan", "skip", "stop"]).default("replan"), {
        help: { zh: "步骤失败后怎么办", en: "what follows a failed step" },
        fileHelp: "After a step that failed: plan the rest anew, continue without it, or end.",
      }),
      retries: defineSetting(({ z }) => z.int().min(0).max(3).default(1), {
        help: { zh: "失败步骤的重试次数", en: "how often a failed step is tried again" },
      }),
    }),
    evaluation: defineGroup({
      minResultLength: defineSetting(({ z }) => z.int().min(0).default(20), {
        help: { zh: "少于这么多字符的结果视为较短", en: "characters below which a result is thin" },
        fileHelp: "Results with fewer characters count as short.",
        kind: "number",
        environment: "AGENT_RESULT_MIN_LENGTH",
      }),
      stopWhenSufficient: defineSetting(({ z }) => z.boolean().default(false), {
        help: { zh: "结果足够就立即回答", en: "answer as soon as results suffice" },
        fileHelp: "Answer as soon as the results are sufficient.",
      }),
      module: defineSetting(({ text }) => text.optional(), {
        help: {
          zh: "自己的[评估模块](prompts.zh.md#自己的评估)",
          en: "a module that [evaluates](prompts.md#your-own-evaluation)",
        },
        fileHelp: "A module whose default export replaces the evaluation rules.",
      }),
    }),
    verbose: defineSetting(({ z }) => z.boolean().default(false), {
      help: { zh: "把思考、工具输入和输出写到标准错误", en: "thoughts, tool inputs and outputs on stderr" },
      fileHelp: "Thoughts, tool inputs and outputs to stderr.",
      kind: "switch",
      environment: "AGENT_VERBOSE",
      flag: {
        name: "verbose",
        help: {
          zh: "把每段思考、每次工具的输入与输出写到标准错误",
          en: "each thought, tool input and output to stderr",
        },
      },
    }),
  },
  { fileHelp: "How the agent works." },
);

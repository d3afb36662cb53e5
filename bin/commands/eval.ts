import type { Context } from "../../src/cli/console.ts";
import { loadWithState } from "../../src/cli/with-duet.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { readPositive, readWhole, toFlags, toOptionText, type Values } from "../read-options.ts";
import type { Action, CommandRow } from "./command.ts";

export const evalCommand: CommandRow = {
  name: "eval",
  help: {
    zh: "用一个用例文件评测模型：工具选择、参数、成功率、质量、费用、时间",
    en: "evaluates models by a file of cases: choice of tools, arguments, success, quality, cost, time",
  },
  positionals: [
    {
      name: "file",
      help: {
        zh: "JSON 或 JSONL 用例文件；starter 是自带的 60 个用例",
        en: "cases as JSON or JSONL; starter is the 60 that come with Duet",
      },
      completes: "file",
    },
  ],
  options: {
    models: {
      type: "string",
      describe: {
        zh: "评测的模型，逗号分隔：决策模型+回答模型，或单个模型（默认：文件中的，再是配置中的）",
        en: "the models, separated by commas: decider+answerer, or one (those of the file, else of the configuration)",
      },
    },
    repeat: { type: "string", describe: { zh: "每个用例几次，1 到 1000（1）", en: "times per case, 1 to 1000 (1)" } },
    parallel: { type: "string", describe: { zh: "同时几次，1 到 64（4）", en: "how many at one time, 1 to 64 (4)" } },
    budget: {
      type: "string",
      describe: { zh: "最多花费多少美元", en: "the most that may be spent, in US dollars" },
    },
    baseline: {
      type: "string",
      describe: { zh: "用来比较的早先报告", en: "an earlier report to compare with" },
      completes: "file",
    },
    output: {
      type: "string",
      describe: { zh: "写入 JSON 报告的文件", en: "the file for the report as JSON" },
      completes: "file",
    },
    record: {
      type: "string",
      describe: {
        zh: "把模型和工具的往来写入这个文件",
        en: "writes what models and tools are sent and reply to this file",
      },
      completes: "file",
    },
    replay: {
      type: "string",
      describe: { zh: "只用这个录制文件作答，不联网", en: "answers from this recording alone, without a network" },
      completes: "file",
    },
    schema: {
      type: "boolean",
      describe: { zh: "打印用例文件的 JSON Schema", en: "prints the JSON Schema of case files" },
    },
    resume: {
      type: "boolean",
      describe: { zh: "继续被中断的评测", en: "goes on with an evaluation that was ended" },
    },
  },
  run: (values) => (values.schema === true ? printSchema : runEval(values)),
};

/** Prints the JSON Schema of case files. */
async function printSchema({ console }: Context): Promise<number> {
  const { createCaseFileJsonSchema } = await import("../../src/eval/case-file.ts");
  console.stdout.write(`${JSON.stringify(createCaseFileJsonSchema(), null, 2)}\n`);
  return 0;
}

function runEval(values: Values): Action {
  const file = toOptionText(values.file);
  if (file === undefined) throw missingFileError();
  const flags = {
    file,
    models: toOptionText(values.models)?.split(",") ?? [],
    repeat: values.repeat === undefined ? undefined : readWhole(values, "repeat", 1, 1, 1000),
    parallel: readWhole(values, "parallel", 4, 1, 64),
    budget: readPositive(values, "budget"),
    baseline: toOptionText(values.baseline),
    output: toOptionText(values.output),
    record: toOptionText(values.record),
    replay: toOptionText(values.replay),
    resume: values.resume === true,
  };
  return async (context) => {
    const [config, { runEvalCommand }] = await Promise.all([
      loadWithState(toFlags(values), context.console),
      import("../../src/cli/eval/eval-command.ts"),
    ]);
    return runEvalCommand(flags, config, context);
  };
}

function missingFileError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "duet eval 缺少用例文件（允许：文件名，或 starter）",
      en: "duet eval needs a file of cases (allowed: the name of a file, or starter)",
    },
  });
}

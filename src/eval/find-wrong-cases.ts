import { openOutputSchema } from "../app/ask/answer-form.ts";
import { configError } from "../config/config-errors.ts";
import { findPermitProblem } from "../core/tools/tool-pattern.ts";
import { DuetError, getMessage } from "../kit/errors.ts";
import { isRecord } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import type { AnswerCheck, CaseFile, EvalCase } from "./case-file.ts";

/** Finds what the schema cannot say, each fault with its place in the file. */
export async function findWrongCases({ cases, judge }: CaseFile, shown: string): Promise<DuetError[]> {
  const ids = new Set<string>();
  const found = cases.map(async (one, index) => {
    const place = `${shown}: cases[${index}]`;
    const isTwice = ids.has(one.id);
    ids.add(one.id);
    const id = JSON.stringify(one.id);
    const twice = { zh: `id ${id} 重复`, en: `the id ${id} is there twice` };
    const checks = one.answer.map((check, at) => findWrongCheck(check, `${place}.answer[${at}]`, judge));
    return [
      ...(isTwice ? [configError(`${place}.id`, twice)] : []),
      ...findWrongPatterns(one, place),
      ...(one.calls ?? []).flatMap((call, at) => findWrongValue(call.arguments, `${place}.calls[${at}].arguments`)),
      ...(one.answer.filter((check) => "schema" in check).length > 1
        ? [configError(`${place}.answer`, manySchemas)]
        : []),
      ...(await Promise.all(checks)).flat(),
    ];
  });
  return (await Promise.all(found)).flat();
}

function findWrongPatterns({ tools = [], alsoAllowed }: EvalCase, place: string): DuetError[] {
  return Object.entries({ tools, alsoAllowed }).flatMap(([field, patterns]) =>
    patterns.flatMap((pattern) => {
      const allowed = findPermitProblem(pattern);
      const written = JSON.stringify(pattern);
      return allowed === undefined
        ? []
        : [configError(`${place}.${field}`, { zh: `${written}：${allowed.zh}`, en: `${written}: ${allowed.en}` })];
    }),
  );
}

async function findWrongCheck(check: AnswerCheck, place: string, judge: string | undefined): Promise<DuetError[]> {
  if ("judge" in check) return judge === undefined ? [configError(place, noJudge)] : [];
  if ("matches" in check) return findWrongExpression(check.matches, `${place}.matches`);
  if (!("schema" in check)) return [];
  return openOutputSchema(check.schema, { field: `${place}.schema`, code: "config" }).then(
    () => [],
    (thrown: unknown) => {
      if (thrown instanceof DuetError) return [thrown];
      throw thrown;
    },
  );
}

/** Finds the forms that stand for a value, `$matches` and `$oneOf`, where they are not written as they should be. */
function findWrongValue(expected: unknown, place: string): DuetError[] {
  if (Array.isArray(expected)) return expected.flatMap((one, at) => findWrongValue(one, `${place}[${at}]`));
  if (!isRecord(expected)) return [];
  const forms = Object.keys(expected).filter((key) => key.startsWith("$"));
  if (forms.length === 0)
    return Object.entries(expected).flatMap(([key, one]) => findWrongValue(one, `${place}.${key}`));
  const { $matches, $oneOf, ...others } = expected;
  if (Object.keys(others).length > 0 || forms.length > 1) return [configError(place, noForm)];
  if (typeof $matches === "string") return findWrongExpression($matches, `${place}.$matches`);
  if (Array.isArray($oneOf)) return findWrongValue($oneOf, `${place}.$oneOf`);
  return [configError(place, noForm)];
}

const noForm: Text = {
  zh: '以 $ 开头的键有误（允许：单独一个 {"$matches": "正则表达式"} 或 {"$oneOf": […]}）',
  en: 'a key with $ is wrong (allowed: {"$matches": "a regular expression"} or {"$oneOf": […]}, alone)',
};

const noJudge: Text = {
  zh: "judge 需要文件中的 judge 指定评判模型（provider/model）",
  en: 'judge needs "judge" in the file to name the model that judges (provider/model)',
};

const manySchemas: Text = {
  zh: "schema 出现多次（允许：一次，因为回答只有一种形式）",
  en: "schema is there several times (allowed: once, as an answer has one form)",
};

function findWrongExpression(pattern: string, place: string): DuetError[] {
  try {
    new RegExp(pattern, "iu");
    return [];
  } catch (thrown) {
    const why = getMessage(thrown);
    return [configError(place, { zh: why, en: why })];
  }
}

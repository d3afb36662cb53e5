import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import type { UnresolvedValue } from "./references.ts";

/** What is wrong with the references of one place; `known`: the earlier steps that have a result. */
export function findBadReferences({ path, steps, unreadable }: UnresolvedValue, known: ReadonlySet<number>): Text[] {
  const missing = steps.filter((step) => !known.has(step));
  return [
    ...missing.map((step) => ({
      zh: `parameters ${path}：{{step_${step}}} 不是前面有结果的步骤`,
      en: `parameters ${path}: {{step_${step}}} is no earlier step that has a result`,
    })),
    ...unreadable.map((text) => ({
      zh: `parameters ${path}：无法理解 ${short(text)}，应写成 {{step_1}} 或 {{step_1.field}}`,
      en: `parameters ${path}: ${short(text)} cannot be read; write {{step_1}} or {{step_1.field}}`,
    })),
  ];
}

export function describeUnknownTool(name: string, names: string[]): Text {
  return {
    zh: `没有名为 ${short(name)} 的工具（可用：${names.join("、")}）`,
    en: `there is no tool named ${short(name)} (there are: ${names.join(", ")})`,
  };
}

export function describeTooManyCalls(calls: number, most: number): Text {
  return {
    zh: `计划调用 ${calls} 次工具，最多允许 ${most} 次；请合并或去掉步骤`,
    en: `the plan calls tools ${calls} times, ${most} at most are allowed; join or drop steps`,
  };
}

export const tooDeepPlan: Text = { zh: "嵌套太深", en: "is nested too deep" };

export const noPlan: Text = {
  zh: '回复不是 {"steps":[...]} 形式的 JSON',
  en: 'the reply is not JSON of the form {"steps":[...]}',
};

/** A problem that shows the value it is about. */
export function describeValueProblem(value: unknown, zh: string, en: string): Text {
  const shown = short(JSON.stringify(value) ?? "undefined");
  return { zh: `${zh}（当前值: ${shown}）`, en: `${en} (current value: ${shown})` };
}

function short(text: string): string {
  return toShortLine(text, 80);
}

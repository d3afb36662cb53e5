import type { Text } from "../../kit/locale.ts";

/** Has the model correct a plan that cannot be used. */
export function createCorrectionRequest(problems: string): Text {
  return {
    zh: `这个计划不能执行：\n${problems}\n\n请改正，并重新给出整个 JSON。`,
    en: `This plan cannot be carried out:\n${problems}\n\nCorrect it and give the whole JSON again.`,
  };
}

/** Has the model plan again with what the reader said to the plan. */
export function createRevisionRequest(words: string, first: number, calls: number): Text {
  return {
    zh: `用户对计划的回复：\n${words}\n\n请据此重新规划${from(first).zh}，用工具的步骤最多 ${calls} 个，只输出 JSON。`,
    en: `The user's reply to the plan:\n${words}\n\nPlan again accordingly${from(first).en}, with at most ${calls} steps that use a tool; give JSON only.`,
  };
}

/** Says that there are more tools than those that were named. */
export function createSearchHint(finder: string): Text {
  return {
    zh: `还有没有列出的工具。上面的工具做不到时，先只给出使用 ${finder} 的步骤，不要猜工具名；看到找到的工具后再给出完整的计划。`,
    en: `There are more tools than these. Where none of them will do, first give only steps with ${finder}, and guess no names; make the whole plan when you have seen what was found.`,
  };
}

/** Has the model plan with the tools that were found. */
export function createFoundToolsRequest(found: string): Text {
  return {
    zh: `查找的结果：\n${found}\n\n请据此给出完整的计划，只输出 JSON。`,
    en: `What was found:\n${found}\n\nNow make the whole plan; give JSON only.`,
  };
}

export interface RepairInput {
  /** Lists each step with its state. */
  states: string;
  results: string;
  first: number;
  /** Limits the steps that use a tool. */
  calls: number;
}

/** Has the model plan the rest after a step that failed. */
export function createRepairRequest({ states, results, first, calls }: RepairInput): Text {
  return {
    zh: `计划执行到这里：\n${states}\n\n${results}\n\n有步骤失败。请重新规划其余步骤，换一种做法达到目的，步骤编号从 ${first} 开始，用工具的步骤最多 ${calls} 个；已完成步骤的结果可以用 {{step_N}} 引用。没有别的办法时给出 {"steps":[]}。只输出 JSON。`,
    en: `State of the plan:\n${states}\n\n${results}\n\nA step failed. Plan the rest anew, in another way to the same end, with steps numbered from ${first} on, at most ${calls} of them with a tool; the results of steps that are done can be used as {{step_N}}. If there is no other way, give {"steps":[]}. JSON only.`,
  };
}

export interface StepInput {
  description: string;
  tool: string;
  /** Holds the parameters as planned, as JSON. */
  parameters: string;
  /** Explains why the parameters cannot be used as they are. */
  trouble: string;
  /** Limits how often the tool may still be called. */
  calls: number;
}

/** Has the model make the calls of a step, with parameters from the results so far. */
export function createStepRequest({ description, tool, parameters, trouble, calls }: StepInput): Text {
  return {
    zh: `正在按计划执行这一步：${description}\n计划的参数：${parameters}\n${trouble}\n请从上面的结果中取得完整的参数，在这一轮里按这一步的需要调用 ${tool}，最多 ${calls} 次，不要调用其他工具。`,
    en: `This step of the plan is being carried out: ${description}\nIts planned parameters: ${parameters}\n${trouble}\nTake the complete parameters from the results above and call ${tool} as often as this step needs, in this one turn and at most ${calls} times; call no other tool.`,
  };
}

function from(first: number): Text {
  if (first === 1) return { zh: "", en: "" };
  return { zh: `其余步骤（编号从 ${first} 开始）`, en: `, only the steps that are left, numbered from ${first} on` };
}

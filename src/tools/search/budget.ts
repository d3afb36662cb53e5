import { createFailure, type Tool } from "../../core/tools/tool.ts";
import { say } from "../../kit/locale.ts";
import { wrapTool } from "../define-tool.ts";

/** Lets `most` searches through; the next are answered with a failure that tells the model to go by what it has. */
export function withSearchBudget(tool: Tool, most: number): Tool {
  let left = most;
  return wrapTool(tool, async (args, context) => {
    if (left < 1) return createFailure("tool", say(context.locale, usedUp(most)));
    left--;
    const result = await tool.run(args, context);
    // Nobody was asked, so nothing was used.
    if (result.error?.code === "invalid_arguments") left++;
    return result;
  });
}

function usedUp(most: number) {
  return {
    zh: `这次运行的搜索次数已用完（最多 ${most} 次），没有执行这次搜索。请根据已有的结果回答，不要再搜索。`,
    en: `This run has used up its searches (${most} at most); this one was not made. Answer from the results there are and search no more.`,
  };
}

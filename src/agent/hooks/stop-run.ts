import type { ToolResult } from "../../core/tools/tool.ts";
import { DuetError } from "../../kit/errors.ts";

/** Throws where a hook around one of the calls has ended the run. */
export function endAsHooksSay(observations: readonly { result: ToolResult }[]): void {
  const stop = observations.find(({ result }) => result.stop !== undefined)?.result.stop;
  if (stop !== undefined) throw stoppedByHookError(stop);
}

/** Returns the error of a run that a hook has ended. `why` may be empty. */
export function stoppedByHookError(why: string): DuetError {
  return new DuetError({
    code: "tool",
    text: {
      zh: `钩子结束了这次运行${why === "" ? "。" : `：${why}`}`,
      en: `A hook ended the run${why === "" ? "." : `: ${why}`}`,
    },
  });
}

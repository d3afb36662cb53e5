import type { Text } from "../kit/locale.ts";

export function describeUnknownRun(runId: string): Text {
  const shown = JSON.stringify(runId.slice(0, 100));
  return {
    zh: `没有编号为 ${shown} 的运行（允许：agent_ask 的结果中的 run_id）。`,
    en: `There is no run ${shown} (allowed: the run_id of a result of agent_ask).`,
  };
}

import { toShortLine } from "../../../../../kit/text/sanitize.ts";
import { renderSeconds } from "../../../../../render/event-lines.ts";
import { renderDollars } from "../../../../../render/known-cost.ts";
import type { OperatorRuns } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";

/** Shows the runs of all callers, the latest first. */
export function RunList({ runs }: Pick<OperatorRuns, "runs">) {
  const say = useSay();
  return (
    <DataTable
      label={say(operatorTexts.runs)}
      columns={["question", "caller", "status", "calls", "tokens", "cost", "time"]}
      rows={runs.map((run) => [
        toShortLine(run.question, 80),
        run.caller ?? say(operatorTexts.operator),
        [run.status, run.error_code].filter(Boolean).join(" · "),
        run.tool_calls,
        run.total_tokens,
        run.cost_usd === null ? "–" : renderDollars(run.cost_usd),
        renderSeconds(run.elapsed_ms),
      ])}
    />
  );
}

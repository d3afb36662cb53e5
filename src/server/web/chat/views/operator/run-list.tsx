import { useEffect, useRef, useState } from "preact/hooks";
import type { Text } from "../../../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../../../kit/text/sanitize.ts";
import { renderSeconds } from "../../../../../render/event-lines.ts";
import { renderDollars } from "../../../../../render/known-cost.ts";
import { statusTexts, texts } from "../../../texts.ts";
import type { OperatorRuns } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";
import { Loaded } from "./loaded.tsx";
import { Waterfall } from "./waterfall.tsx";

/** Shows the runs of all callers, the latest first. Each one that has ended can be opened as a waterfall. */
export function RunList({ runs }: Pick<OperatorRuns, "runs">) {
  const { operator } = usePage();
  const say = useSay();
  const [opened, setOpened] = useState<OperatorRuns["runs"][number] | undefined>(undefined);
  const last = useRef<string | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (opened !== undefined) last.current = opened.run_id;
    else list.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(last.current ?? "")}"]`)?.focus();
  }, [opened]);
  if (opened !== undefined)
    return (
      <>
        <button type="button" class="back" onClick={() => setOpened(undefined)}>
          {say(operatorTexts.back)}
        </button>
        <h3 dir="auto">{toShortLine(opened.question, 80)}</h3>
        <p class="hint">
          {[say(describeStatus(opened)), renderSeconds(opened.elapsed_ms), opened.run_id].map(sanitizeLine).join(" · ")}
        </p>
        <Loaded load={() => operator.spans(opened.run_id)}>{(read) => <Waterfall {...read} />}</Loaded>
      </>
    );
  return (
    <div ref={list}>
      <DataTable
        label={say(operatorTexts.runs)}
        columns={["question", "caller", "status", "calls", "tokens", "cost", "time", "waterfall"]}
        rows={runs.map((run) => [
          toShortLine(run.question, 80),
          run.caller ?? say(operatorTexts.operator),
          [say(describeStatus(run)), run.error_code].filter(Boolean).join(" · "),
          run.tool_calls,
          run.total_tokens,
          run.cost_usd === null ? "–" : renderDollars(run.cost_usd),
          renderSeconds(run.elapsed_ms),
          run.status === "running" ? (
            ""
          ) : (
            <button
              type="button"
              class="plain"
              data-run={run.run_id}
              aria-label={`${say(operatorTexts.waterfall)} · ${toShortLine(run.question, 40)}`}
              title={say(operatorTexts.waterfall)}
              onClick={() => setOpened(run)}
            >
              <Icon name="bars" />
            </button>
          ),
        ])}
      />
    </div>
  );
}

function describeStatus({ status }: OperatorRuns["runs"][number]): Text {
  return status === "running" ? texts.running : statusTexts[status];
}

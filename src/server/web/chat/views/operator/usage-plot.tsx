import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { renderDollars } from "../../../../../render/known-cost.ts";
import type { OperatorUsage } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";

/** Shows tokens as bars, a day each with its models upon one another, and the figures below. */
export function UsagePlot({ days }: OperatorUsage) {
  const say = useSay();
  return (
    <>
      <h3>{say(operatorTexts.perDay)}</h3>
      <Bars days={days} />
      <DataTable
        label={say(operatorTexts.usage)}
        columns={["day", "model", "caller", "runs", "tokens", "cost"]}
        rows={days.map((entry) => [
          entry.day,
          entry.model,
          entry.caller ?? say(operatorTexts.operator),
          entry.runs,
          entry.total_tokens,
          entry.unpriced_runs === entry.runs ? "–" : renderDollars(entry.cost_usd),
        ])}
      />
    </>
  );
}

/** Is in units of the drawing. */
const height = 120;
const barWidth = 18;
const gap = 4;
/** Counts the colours that the style has; further models share them. */
const colours = 6;

function Bars({ days }: OperatorUsage) {
  const byDay = [...Map.groupBy(days, ({ day }) => day)].sort(([one], [other]) => one.localeCompare(other));
  const models = [...new Set(days.map(({ model }) => model))];
  const sum = (entries: OperatorUsage["days"]): number => entries.reduce((all, each) => all + each.total_tokens, 0);
  const highest = Math.max(1, ...byDay.map(([, entries]) => sum(entries)));
  const width = Math.max(byDay.length, 1) * (barWidth + gap);
  // The table below says the same in figures.
  return (
    <figure class="plot" aria-hidden="true">
      <svg aria-hidden="true" viewBox={`0 0 ${width} ${height + 14}`} style={{ maxWidth: `${width * 2}px` }}>
        {byDay.map(([day, entries], index) => {
          let top = height;
          return (
            <g key={day}>
              {entries.map((entry) => {
                const size = (entry.total_tokens / highest) * height;
                top -= size;
                return (
                  <rect
                    key={`${entry.model} ${entry.caller}`}
                    class={`bar-${models.indexOf(entry.model) % colours}`}
                    x={index * (barWidth + gap)}
                    y={top}
                    width={barWidth}
                    height={size}
                  />
                );
              })}
              <text x={index * (barWidth + gap) + barWidth / 2} y={height + 11}>
                {day.slice(8)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption>
        {models.map((model, index) => (
          <span key={model} class={`legend-${index % colours}`}>
            {sanitizeLine(model)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

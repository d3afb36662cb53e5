import { useEffect, useState } from "preact/hooks";
import { renderDollars } from "../../../../../render/known-cost.ts";
import type { OperatorUsage } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";
import { UsagePlot, useName } from "./usage-plot.tsx";

const choices = {
  shown: ["cost", "tokens"],
  by: ["model", "caller"],
  period: ["days30", "days7", "days90"],
} as const;

const periods = { days7: 7, days30: 30, days90: 90 } as const;

/** Shows what was used by day, model and caller: as a plot, its sums, and the single entries. */
export function Usage() {
  const { operator, describeError } = usePage();
  const say = useSay();
  const nameOf = useName();
  const [shown, setShown] = useState<(typeof choices.shown)[number]>("cost");
  const [by, setBy] = useState<(typeof choices.by)[number]>("model");
  const [period, setPeriod] = useState<(typeof choices.period)[number]>("days30");
  const [read, setRead] = useState<(OperatorUsage & { readonly length: number }) | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const length = periods[period];
  const load = (before?: OperatorUsage): Promise<void> =>
    operator.usage(length, before?.next_offset ?? 0).then(
      (next) => {
        setProblem("");
        setRead({ ...next, length, days: [...(before?.days ?? []), ...next.days] });
      },
      (thrown: unknown) => setProblem(describeError(thrown)),
    );
  useEffect(() => void load(), [period]);
  const series = by === "model" ? read?.models : read?.callers;
  const isUnknown = shown === "cost" && series?.every(({ cost_usd }) => cost_usd === 0);
  return (
    <>
      <div class="usage-choices">
        <Choice label={say(operatorTexts.shown)} names={choices.shown} chosen={shown} onChoose={setShown} />
        <Choice label={say(operatorTexts.by)} names={choices.by} chosen={by} onChoose={setBy} />
        <Choice label={say(operatorTexts.period)} names={choices.period} chosen={period} onChoose={setPeriod} />
      </div>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {read === undefined && problem === "" && <p class="hint">{say(operatorTexts.loading)}</p>}
      {read && series && (
        <>
          <h3>{say(operatorTexts.perDay)}</h3>
          {series.length > 0 && isUnknown && <p class="hint">{say(operatorTexts.nothingKnown)}</p>}
          {series.length > 0 && !isUnknown && <UsagePlot length={read.length} series={series} shows={shown} />}
          <h3>{say(operatorTexts.sums)}</h3>
          <DataTable
            label={say(operatorTexts.sums)}
            columns={[by, "tokens", "cost"]}
            rows={series.map((each) => [
              nameOf(each),
              each.total_tokens,
              renderKnownDollars(each.cost_usd, each.cost_known),
            ])}
          />
          <h3>{say(operatorTexts.details)}</h3>
          <DataTable
            label={say(operatorTexts.details)}
            columns={["day", "model", "caller", "runs", "tokens", "cost"]}
            rows={read.days.map((entry) => [
              entry.day,
              entry.model,
              entry.caller ?? say(operatorTexts.operator),
              entry.runs,
              entry.total_tokens,
              renderKnownDollars(entry.cost_usd, entry.unpriced_runs === 0),
            ])}
          />
          {read.next_offset !== null && (
            <button type="button" class="more" onClick={() => void load(read)}>
              {say(operatorTexts.more)}
            </button>
          )}
        </>
      )}
    </>
  );
}

/** Renders a cost. What is known in part is at least that much. */
function renderKnownDollars(cost: number, isKnown: boolean): string {
  if (isKnown) return renderDollars(cost);
  return cost === 0 ? "–" : `≥ ${renderDollars(cost)}`;
}

interface ChoiceProps<Name extends keyof typeof operatorTexts> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: NoInfer<Name>;
  onChoose(name: NoInfer<Name>): void;
}

function Choice<Name extends keyof typeof operatorTexts>({ label, names, chosen, onChoose }: ChoiceProps<Name>) {
  const say = useSay();
  return (
    <label>
      {label}
      <select
        value={chosen}
        onChange={({ currentTarget }) => {
          const name = names.find((each) => each === currentTarget.value);
          if (name !== undefined) onChoose(name);
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {say(operatorTexts[name])}
          </option>
        ))}
      </select>
    </label>
  );
}

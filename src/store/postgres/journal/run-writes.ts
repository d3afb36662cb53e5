import { type Spend, type StepUsage, toUsageDay } from "../../../core/store/daily-usage.ts";
import { toText } from "../../../kit/json.ts";
import { toSpend, toWhole } from "../../sql/records/daily-usage.ts";
import type { Row, Value } from "../../sql/work.ts";
import type { PostgresConnection, PostgresValue } from "../connection.ts";
import { createGroupedWrites, type GroupedWrites } from "../grouped-writes.ts";
import { toEventText } from "../shared-runs/run-messages.ts";
import { groupedTexts } from "./journal-texts.ts";
import { type OwnedRun, toKey } from "./lease.ts";

export interface StoredStep extends OwnedRun {
  name: string;
  spent: number;
  data: string;
  /** Is whose day counts what the step has used. */
  caller: string;
  usage: StepUsage | undefined;
}

/** Says that a step is stored, and what its caller has used today where that is known. */
export interface StepWritten {
  today: Spend | undefined;
}

export interface StoredEvents extends OwnedRun {
  from: number;
  events: readonly string[];
}

/** Writes steps and events of all runs of this process together. Each resolves to null where its run belongs to another process. */
export interface RunWrites {
  writeStep: GroupedWrites<StoredStep, StepWritten | null>;
  writeEvents: GroupedWrites<StoredEvents, Row | null>;
}

/** Is how long the events of all runs of a process are collected after a write of others began, in milliseconds. */
const eventPaceMs = 25;

export interface RunWritesOptions {
  holder: string;
  /** Returns milliseconds since 1970, for what depends on the day; the database's clock counts when it is absent. */
  now?: (() => number) | undefined;
}

export function createRunWrites(
  connection: Pick<PostgresConnection, "query">,
  { holder, now }: RunWritesOptions,
): RunWrites {
  /** Writes with one statement, and returns for each item that is stored what is told of its run. */
  async function write(
    name: keyof typeof groupedTexts,
    items: readonly OwnedRun[],
    columns: readonly PostgresValue[],
  ): Promise<(Row | null)[]> {
    const runs = new Map(items.map((item) => [toKey(item), item])).values().toArray();
    const lists = [runs.map(({ run }) => run), runs.map(({ epoch }) => epoch), holder, ...columns];
    const { rows } = await connection.query(name, groupedTexts[name], lists);
    const held = new Map(rows.map((row) => [toKey({ run: toText(row.run), epoch: Number(row.epoch) }), row]));
    return items.map((item) => held.get(toKey(item)) ?? null);
  }

  return {
    writeStep: createGroupedWrites(async (steps: readonly StoredStep[]) => {
      const rows = await write("addSteps", steps, [
        ...listColumns(steps, ["run", "epoch", "name", "spent", "data"]),
        steps.filter(({ name }) => name.startsWith("answer:")).map(({ run }) => run),
        ...listColumns(steps, ["caller"]),
        ...listColumns(
          steps.map(({ usage }) => (usage ? toWhole(usage.used) : nothing)),
          ["tokens", "cost"],
        ),
        steps.flatMap(({ usage }) => usage?.reservations ?? []),
        now === undefined ? null : toUsageDay(now()),
      ]);
      return rows.map((row) => row && { today: row.tokens === null ? undefined : toSpend(row) });
    }),
    writeEvents: createGroupedWrites(
      (groups: readonly StoredEvents[]) => {
        const rows = groups.flatMap(({ run, epoch, from, events }) =>
          events.map((data, index) => ({ run, epoch, n: from + index, data })),
        );
        const text = toEventText(groups.map(({ run }) => run));
        return write("addEvents", groups, [...listColumns(rows, ["run", "epoch", "n", "data"]), text]);
      },
      { paceMs: eventPaceMs },
    ),
  };
}

/** Is what a step without a model turn has used. */
const nothing = { tokens: null, cost: null };

/** Returns the values of each column, as `unnest` takes them. */
function listColumns<K extends string>(rows: readonly Readonly<Record<K, Value>>[], names: readonly K[]): Value[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

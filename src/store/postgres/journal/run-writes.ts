import { toText } from "../../../kit/json.ts";
import type { Value } from "../../sql/work.ts";
import type { PostgresConnection, PostgresValue } from "../connection.ts";
import { createGroupedWrites, type GroupedWrites } from "../grouped-writes.ts";
import { toEventText } from "../shared-runs.ts";
import { groupedTexts } from "./journal-texts.ts";
import type { OwnedRun } from "./lease.ts";

export interface StoredStep extends OwnedRun {
  name: string;
  spent: number;
  data: string;
}

export interface StoredEvents extends OwnedRun {
  from: number;
  events: readonly string[];
}

/** Writes steps and events of all runs of this process together. Each resolves to false where its run belongs to another process. */
export interface RunWrites {
  writeStep: GroupedWrites<StoredStep, boolean>;
  writeEvents: GroupedWrites<StoredEvents, boolean>;
}

/** Is how long the events of all runs of a process are collected after a write of others began, in milliseconds. */
const eventPaceMs = 25;

export function createRunWrites(connection: Pick<PostgresConnection, "query">, holder: string): RunWrites {
  /** Writes with one statement, and returns which of the items are stored. */
  async function write(
    name: keyof typeof groupedTexts,
    items: readonly OwnedRun[],
    columns: readonly PostgresValue[],
  ): Promise<boolean[]> {
    const runs = new Map(items.map((item) => [toKey(item), item])).values().toArray();
    const lists = [runs.map(({ run }) => run), runs.map(({ epoch }) => epoch), holder, ...columns];
    const { rows } = await connection.query(name, groupedTexts[name], lists);
    const held = new Set(rows.map(({ run, epoch }) => toKey({ run: toText(run), epoch: Number(epoch) })));
    return items.map((item) => held.has(toKey(item)));
  }

  return {
    writeStep: createGroupedWrites((steps: readonly StoredStep[]) =>
      write("addSteps", steps, [
        ...listColumns(steps, ["run", "epoch", "name", "spent", "data"]),
        steps.filter(({ name }) => name.startsWith("answer:")).map(({ run }) => run),
      ]),
    ),
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

function toKey({ run, epoch }: OwnedRun): string {
  return `${epoch} ${run}`;
}

/** Returns the values of each column, as `unnest` takes them. */
function listColumns<K extends string>(rows: readonly Readonly<Record<K, Value>>[], names: readonly K[]): Value[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

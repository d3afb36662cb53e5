import type { AgentEvent } from "../../core/events.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { type Journal, LostRunError, type NewStep, type RunJournal } from "../../core/store/journal.ts";
import type { SharedRuns } from "../../core/store/shared-runs.ts";
import { toText } from "../../kit/json.ts";
import { toEvents, toFiles, toInterruptedRun, toStep } from "../sql/conversations/journal-rows.ts";
import { addRunFiles } from "../sql/conversations/run-records.ts";
import { updateConversation } from "../sql/conversations/update-conversation.ts";
import { statements } from "../sql/statements/statements.ts";
import { defineStatement, lock, type Row, type Value, type Work } from "../sql/work.ts";
import type { PostgresConnection, PostgresValue } from "./connection.ts";
import { createGroupedWrites } from "./grouped-writes.ts";
import { journalTexts } from "./journal-texts.ts";
import { createReplicaLease } from "./lease.ts";
import type { Notifications } from "./notifications.ts";
import { createPostgresRuns, toEventText } from "./shared-runs.ts";

export interface PostgresJournal extends Journal {
  readonly sharedRuns: SharedRuns;
  /** Names this process as the holder of its runs. */
  readonly holder: string;
  /** Ends the ownership of this process: what it has not ended is interrupted. */
  close(): Promise<void>;
}

const own = {
  begin: defineStatement(journalTexts.begin),
  holdRun: defineStatement(journalTexts.holdRun),
  addStep: defineStatement(journalTexts.addStep),
  forbid: defineStatement(journalTexts.forbid),
  runs: defineStatement(journalTexts.runs),
  runsOf: defineStatement(journalTexts.runsOf),
  run: defineStatement(journalTexts.run),
  take: defineStatement(journalTexts.take),
};

interface HeldRun {
  run: string;
  epoch: number;
}

interface StoredStep extends HeldRun {
  name: string;
  spent: number;
  now: string;
  data: string;
}

interface StoredEvents extends HeldRun {
  from: number;
  events: readonly string[];
}

/** Is how long the events of all runs of a process are collected after a write of others began, in milliseconds. */
const eventPaceMs = 25;

/** Stores the journal in PostgreSQL. A run belongs to the replica that holds it, in the epoch in which that has got it. */
export function createPostgresJournal(
  connection: PostgresConnection,
  notifications: Pick<Notifications, "listen">,
): PostgresJournal {
  const lease = createReplicaLease(connection);
  const sharedRuns = createPostgresRuns(connection, { holder: lease.id, notifications });

  /** Writes for all runs with one statement, and returns which of the items are stored. */
  async function writeHeld(
    name: "addSteps" | "addEvents",
    items: readonly HeldRun[],
    columns: readonly PostgresValue[],
  ): Promise<boolean[]> {
    const runs = new Map(items.map((item) => [toKey(item), item])).values().toArray();
    const lists = [runs.map(({ run }) => run), runs.map(({ epoch }) => epoch), lease.id, ...columns];
    const { rows } = await connection.query(name, journalTexts[name], lists);
    const held = new Set(rows.map(({ run, epoch }) => toKey({ run: toText(run), epoch: Number(epoch) })));
    return items.map((item) => held.has(toKey(item)));
  }

  const writeSteps = createGroupedWrites((steps: readonly StoredStep[]) =>
    writeHeld("addSteps", steps, [
      ...listColumns(steps, ["run", "epoch", "name", "spent", "now", "data"]),
      steps.filter(({ name }) => name.startsWith("answer:")).map(({ run }) => run),
    ]),
  );

  const writeEvents = createGroupedWrites(
    (groups: readonly StoredEvents[]) => {
      const rows = groups.flatMap(({ run, epoch, from, events }) =>
        events.map((data, index) => ({ run, epoch, n: from + index, data })),
      );
      const text = toEventText(groups.map(({ run }) => run));
      return writeHeld("addEvents", groups, [...listColumns(rows, ["run", "epoch", "n", "data"]), text]);
    },
    { paceMs: eventPaceMs },
  );

  function openRun(runId: string, epoch: number): RunJournal {
    const held = { run: runId, epoch };
    const refuseLost = (isHeld: boolean): void => {
      if (!isHeld) throw new LostRunError(runId);
    };
    return {
      runId,
      async add({ name, spentMs, data, files = [] }) {
        const step = { ...held, name, spent: spentMs, now: new Date().toISOString(), data: JSON.stringify(data) };
        if (files.length === 0) refuseLost(await writeSteps(step));
        else refuseLost(await connection.write(() => addStepWithFiles(step, lease.id, files)));
      },
      async addEvents(from, events) {
        refuseLost(await writeEvents({ ...held, from, events: events.map((event) => JSON.stringify(event)) }));
      },
      async forbid(state) {
        await connection.write(() => own.forbid.run({ ...held, holder: lease.id, state }));
      },
      mailbox: sharedRuns.openMailbox(runId, epoch),
    };
  }

  async function list(id: string | undefined): Promise<Row[]> {
    return connection.read(() => (id === undefined ? own.runs.all() : own.runsOf.all({ id })));
  }

  return {
    sharedRuns,
    holder: lease.id,
    async begin({ runId, owner = null, conversationId, header, files }) {
      await lease.begin();
      const row = { run: runId, owner, conversation: conversationId, header: JSON.stringify(header) };
      await connection.write(function* () {
        yield* lock(`conversation ${conversationId}`);
        // The conversation is there whatever becomes of the run.
        const title = toConversationTitle(header.question);
        yield* updateConversation({ id: conversationId, owner, title, folder: header.folder });
        const held = { run: runId, holder: lease.id };
        yield* own.begin.run({ ...row, ...held, now: new Date().toISOString() });
        yield* addRunFiles(held, files);
      });
      return openRun(runId, 1);
    },
    async listInterrupted(id) {
      const rows = await list(id);
      return rows.filter(({ is_gone }) => is_gone === 1).flatMap((row) => toInterruptedRun(row) ?? []);
    },
    async isGoing(runId) {
      const row = await connection.read(() => own.run.get({ run: runId }));
      return row !== undefined && row.is_gone !== 1;
    },
    async take(runId) {
      const row = await connection.read(() => own.run.get({ run: runId }));
      const run = row && toInterruptedRun(row);
      if (run === undefined || row?.is_gone !== 1) return undefined;
      await lease.begin();
      const epoch = Number(row.epoch);
      const taken = await connection.write(function* () {
        const claim = yield* own.take.get({ run: runId, holder: lease.id, epoch });
        if (claim === undefined) return undefined;
        const steps = yield* statements.journalSteps.all({ run: runId });
        const events = yield* statements.journalEvents.all({ run: runId, owner: run.owner ?? null });
        const files = yield* statements.journalFiles.all({ run: runId });
        return { ends: Number(claim.ends), epoch: Number(claim.epoch), steps, events, files };
      });
      if (taken === undefined) return undefined;
      const [steps, events] = [taken.steps.map(toStep), taken.events.flatMap(toEvents)];
      const files = taken.files.flatMap(toFiles);
      return { ...run, ends: taken.ends, steps, events, files, journal: openRun(runId, taken.epoch) };
    },
    async events(runId, owner = undefined): Promise<AgentEvent[]> {
      const key = { run: runId, owner: owner ?? null };
      return (await connection.read(() => statements.journalEvents.all(key))).flatMap(toEvents);
    },
    async close() {
      sharedRuns.close();
      await lease.release();
    },
  };
}

function toKey({ run, epoch }: HeldRun): string {
  return `${epoch} ${run}`;
}

/** Returns the values of each column, as `unnest` takes them. */
function listColumns<K extends string>(rows: readonly Readonly<Record<K, Value>>[], names: readonly K[]): Value[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** Returns false where the run belongs to another replica. */
function* addStepWithFiles(
  { run, epoch, ...step }: StoredStep,
  holder: string,
  files: NonNullable<NewStep["files"]>,
): Work<boolean> {
  if ((yield* own.holdRun.get({ run, holder, epoch })) === undefined) return false;
  yield* own.addStep.run({ run, ...step });
  yield* addRunFiles({ run, holder }, files);
  return true;
}

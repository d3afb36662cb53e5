import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { journalStatements } from "../../../src/store/sql/statements/journal-statements.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { forManyStarts, temporaryFolder } from "../../fakes/program.ts";
import { streamRun } from "../../fakes/run.ts";
import { openStore } from "../../store/stores.ts";
import { leaveOut } from "./interrupted.ts";
import { type KilledWorld, killedWorlds, openKilledRun, readMade } from "./kill-worlds.ts";

type Point = [key: string, count: number, place: "before" | "after"];

/** Each point costs a process. Without `DUET_EVERY_CUT=1` two of each world are tried, others in each run. */
const pointsPerWorld = process.env.DUET_EVERY_CUT === "1" ? Number.POSITIVE_INFINITY : 2;

async function runProcess(...args: string[]): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [...forManyStarts, join(import.meta.dirname, "kill-process.ts"), ...args]);
  let out = "";
  let problem = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (problem += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0 && code !== 9) throw new Error(problem);
  return { code, lines: out.trim().split("\n").filter(Boolean) };
}

/** Lists the statements that each run executes, each with how often it was before. */
async function listPoints(): Promise<Map<string, Point[]>> {
  const { lines } = await runProcess(await temporaryFolder());
  const points = new Map<string, Point[]>();
  for (const line of lines) {
    const [name, key, count] = JSON.parse(line);
    points.set(name, [...(points.get(name) ?? []), [key, count, "before"], [key, count, "after"]]);
  }
  return points;
}

/** Goes on with what is recorded, as the next process does; a run that was not recorded yet is asked for again. */
async function goOn(world: KilledWorld, file: string, log: string) {
  const store = await openStore(file);
  const kept = await store.trace("run-1");
  const readUsed = async () => (await store.dailyUsage.read()).used.tokens;
  if (kept !== undefined) return { trace: kept, unknown: [], used: await readUsed() };
  const [interrupted] = await store.journal.listInterrupted();
  const taken = interrupted && (await store.journal.take(interrupted.runId));
  const script = leaveOut(world.script, taken?.steps ?? []);
  const options = await openKilledRun({ ...world, script }, { store, log, taken });
  const events = await Array.fromAsync(streamRun(options));
  expect(outcomeOf(events).success).toBe(true);
  const unknown = events.flatMap((event) =>
    event.type === "tool-end" && event.error?.code === "outcome_unknown" ? [event.callId] : [],
  );
  return { trace: await store.trace("run-1"), unknown, used: await readUsed() };
}

let listed: Promise<Map<string, Point[]>> | undefined;
const findPoints = (): Promise<Map<string, Point[]>> => (listed ??= listPoints());

describe.each(Object.entries(killedWorlds))(
  "a run with %s whose process ends at a statement of the store",
  (name, world) => {
    test("loses nothing and does nothing twice", async () => {
      const points = (await findPoints()).get(name) ?? [];
      expect(points).not.toEqual([]);
      const chosen = points
        .map((point) => ({ point, at: Math.random() }))
        .sort((a, b) => a.at - b.at)
        .slice(0, pointsPerWorld)
        .map(({ point }) => point);
      const tried = async (point: Point): Promise<void> => {
        const folder = await temporaryFolder();
        const [file, log] = [join(folder, "duet.db"), join(folder, "log")];
        const { code } = await runProcess(folder, name, ...point.map(String));
        const { trace, unknown, used } = await goOn(world, file, log);
        const made = readMade(log);
        const twice = made.filter((n, index) => made.indexOf(n) !== index && !n.endsWith("r"));
        // A call is made, or the models know that it may have been; only one that may be repeated is made again.
        const isUnknown = (n: string) => unknown.some((callId) => n.startsWith(callId.replace(/^(c|step_)/, "")));
        const missing = world.calls.filter((n) => !made.includes(n) && !isUnknown(n));
        expect({ point, code, twice, missing, used, status: trace?.status }).toEqual({
          point,
          code: 9,
          twice: [],
          missing: [],
          used: trace?.token_usage.total_tokens,
          status: expect.stringMatching(/^(complete|partial)$/),
        });
      };
      const rest = [...chosen];
      const tryNext = async (): Promise<void> => {
        for (let point = rest.shift(); point; point = rest.shift()) await tried(point);
      };
      await Promise.all([tryNext(), tryNext()]);
    });
  },
);

test("the runs above execute every statement with which a run is recorded", async () => {
  const executed = new Set([...(await findPoints()).values()].flat().map(([key]) => key));
  const all = Object.keys(journalStatements);
  // The others belong to events, to taking, also by another replica, to ends that somebody wanted and to removal.
  const elsewhere = [
    "addJournalEvent",
    "forbidJournalRun",
    "takeJournalRun",
    "goingJournalRuns",
    "goingJournalRunsOf",
    "journalRun",
    "journalSteps",
    "journalEvents",
    "dropJournalRunsOf",
    "journalFiles",
    "dropJournalFilesOf",
    "isHeldElsewhere",
  ];
  expect(all.filter((key) => !executed.has(key) && !elsewhere.includes(key))).toEqual([]);
});

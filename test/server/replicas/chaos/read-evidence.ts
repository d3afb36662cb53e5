import { readFileSync } from "node:fs";
import { query } from "../../../fakes/postgres.ts";
import { type Evidence, type ToolLine, toCallKey } from "./evidence.ts";

/** Runs before the first replica: it makes its tables itself, and the triggers have to stand on them. */
const recordTexts = [
  `CREATE TABLE chaos_holds (n bigserial PRIMARY KEY, run text, holder text, epoch integer, state text, at timestamptz)`,
  `CREATE TABLE chaos_steps (n bigserial PRIMARY KEY, run text, name text, at timestamptz)`,
  `CREATE FUNCTION chaos_hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO chaos_holds (run, holder, epoch, state, at) VALUES (NEW.run, NEW.holder, NEW.epoch, NEW.state, clock_timestamp());
     RETURN NULL; END $$`,
  `CREATE FUNCTION chaos_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO chaos_steps (run, name, at) VALUES (NEW.run, NEW.name, clock_timestamp());
     RETURN NULL; END $$`,
  `CREATE TRIGGER chaos_begun AFTER INSERT ON journal_runs FOR EACH ROW EXECUTE FUNCTION chaos_hold()`,
  `CREATE TRIGGER chaos_held AFTER UPDATE ON journal_runs FOR EACH ROW
     WHEN (OLD.holder IS DISTINCT FROM NEW.holder OR OLD.epoch <> NEW.epoch OR OLD.state <> NEW.state) EXECUTE FUNCTION chaos_hold()`,
  `CREATE TRIGGER chaos_done AFTER INSERT ON journal_steps FOR EACH ROW EXECUTE FUNCTION chaos_step()`,
];

/**
 * Lets the database itself record which replica gets a run when, and when an outcome is committed. The journal forgets both, and what
 * replicas say of themselves is no proof.
 */
export async function recordHolds(url: string): Promise<void> {
  for (const text of recordTexts) await query(url, text);
}

export function readToolLines(file: string): ToolLine[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line): ToolLine[] => (line === "" ? [] : [JSON.parse(line)]));
}

/** A commit has its time where the server keeps it (`track_commit_timestamp`), else the time of the statement. */
async function selectTime(url: string): Promise<string> {
  const [row] = await query(url, "SELECT current_setting('track_commit_timestamp') AS kept");
  const time = row?.kept === "on" ? "coalesce(pg_xact_commit_timestamp(t.xmin), t.at)" : "t.at";
  return `extract(epoch FROM ${time}) * 1000 AS at`;
}

export async function readDatabase(url: string): Promise<Pick<Evidence, "commits" | "holds" | "stored" | "callNames">> {
  const time = await selectTime(url);
  const steps = await query(url, `SELECT run, name, ${time} FROM chaos_steps t WHERE name LIKE 'call:%' ORDER BY n`);
  const holds = await query(url, `SELECT run, holder, epoch, state, ${time} FROM chaos_holds t ORDER BY n`);
  const stored = await query(
    url,
    "SELECT run, min(n) AS first, max(n) AS last, count(*) FROM journal_events GROUP BY run",
  );
  const starts = await query(
    url,
    `SELECT run, data::json->>'callId' AS id, data::json->'arguments'->>'call' AS call FROM journal_events
     WHERE data::json->>'type' = 'tool-start'`,
  );
  return {
    commits: steps.map(({ run, name, at }) => ({
      runId: String(run),
      callId: String(name).slice("call:".length),
      at: Number(at),
    })),
    holds: holds.map(({ run, holder, epoch, state, at }) => ({
      runId: String(run),
      pid: readPid(holder),
      epoch: Number(epoch),
      state: String(state),
      at: Number(at),
    })),
    stored: new Map(
      stored.map(({ run, first, last, count }) => [
        String(run),
        { first: Number(first), last: Number(last), count: Number(count) },
      ]),
    ),
    callNames: new Map(starts.map(({ run, id, call }) => [toCallKey(String(run), String(id)), String(call)])),
  };
}

/** A holder is named by its host, its process and something random. */
function readPid(holder: unknown): number | undefined {
  return typeof holder === "string" ? Number(/-(\d+)-[0-9a-f]+$/.exec(holder)?.[1]) : undefined;
}

/** Counts what programs keep open in the database of `url`. */
export async function countConnections(url: string): Promise<number> {
  const [row] = await query(
    url,
    "SELECT count(*) AS open FROM pg_stat_activity WHERE application_name = 'duet' AND datname = current_database()",
  );
  return Number(row?.open);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

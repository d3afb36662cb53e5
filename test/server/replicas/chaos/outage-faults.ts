import { setTimeout as pause } from "node:timers/promises";
import { query } from "../../../fakes/postgres.ts";
import type { Evidence } from "./evidence.ts";
import { type FaultInput, planRuns } from "./faults.ts";
import { leaseMs } from "./judge.ts";
import { type Lab, openLab } from "./lab.ts";
import { toQuestion } from "./plan.ts";
import { countConnections } from "./read-evidence.ts";

/** For less and for more than a lease, in milliseconds. */
const outages = [3_000, leaseMs + 4_000];

/** New questions while the database is away get their refusal within this time; the slowest may be a little slower on a busy machine. */
const usualRefusalMs = 100;
const slowestRefusalMs = 1_000;
/** Work goes on within this time after the database is back. */
const backMs = 3_000;
/** Each replica may have so many connections: its pool, the one of its lease and the one that listens. */
const mostConnections = 3 * (8 + 1 + 1);
const askedMeanwhile = 10;

export async function* loseDatabase(input: FaultInput): AsyncGenerator<{ part: string; evidence: Evidence }> {
  const { server, chance, scale } = input;
  const { kill, start } = server;
  if (kill === undefined || start === undefined) throw new Error("the server is shared, and nobody ends it");
  for (const ms of outages) {
    const lab = await openLab({ server, chance, times: scale.model });
    try {
      const most = Math.min(scale.most, 20);
      const asking = lab.askAll(planRuns(input, Math.min(scale.runs, 60)), { everyMs: 100, most });
      await pause(2_500);
      await kill();
      const beganAt = performance.now();
      // Replicas notice at once that their connections have ended.
      await pause(500);
      await expectRefusals(lab);
      await pause(Math.max(0, ms - (performance.now() - beganAt)));
      await start();
      await expectWork(lab);
      await watchConnections(lab, asking);
      yield { part: `away for ${ms / 1000} s`, evidence: await lab.collect({ unknown: true, takeovers: true }) };
    } finally {
      await lab.close();
    }
  }
}

async function expectRefusals({ replicas, expected }: Lab): Promise<void> {
  const times: number[] = [];
  let refused = 0;
  for (let index = 0; index < askedMeanwhile; index++) {
    const origin = replicas[index % replicas.length]?.origin;
    const beganAt = performance.now();
    const response = await fetch(`${origin}/agent/chat`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ message: toQuestion({ name: `meanwhile-${index}`, rounds: [] }) }),
    });
    times.push(performance.now() - beganAt);
    await response.text();
    if (response.status === 503 && response.headers.has("retry-after")) refused += 1;
  }
  times.sort((one, other) => one - other);
  const [median = 0, slowest = 0] = [times[Math.floor(times.length / 2)], times.at(-1)];
  expected.push({
    what: "new questions refused with 503 and Retry-After",
    is: refused,
    wanted: { exactly: askedMeanwhile },
  });
  expected.push({ what: "ms until a refusal, usual", is: Math.round(median), wanted: { most: usualRefusalMs } });
  expected.push({ what: "ms until a refusal, slowest", is: Math.round(slowest), wanted: { most: slowestRefusalMs } });
}

/** Measures by what is recorded. */
async function expectWork({ url, expected }: Lab): Promise<void> {
  const beganAt = performance.now();
  const [before] = await query(url, "SELECT count(*) AS steps FROM chaos_steps");
  for (;;) {
    const [now] = await query(url, "SELECT count(*) AS steps FROM chaos_steps");
    const ms = Math.round(performance.now() - beganAt);
    if (Number(now?.steps) > Number(before?.steps) || ms > 10 * backMs) {
      expected.push({ what: "ms until work goes on", is: ms, wanted: { most: backMs } });
      return;
    }
    await pause(20);
  }
}

async function watchConnections({ url, expected }: Lab, work: Promise<unknown>): Promise<void> {
  let most = 0;
  const over = work.then(() => true);
  while (!(await Promise.race([over, pause(100, false)]))) most = Math.max(most, await countConnections(url));
  expected.push({ what: "connections at a time", is: most, wanted: { most: mostConnections } });
}

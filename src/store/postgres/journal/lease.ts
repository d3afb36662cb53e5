import { hostname } from "node:os";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { createRandomHex } from "../../../kit/random.ts";
import { longestOutageMs } from "../../sql/connection.ts";
import type { Reachability } from "../reachability.ts";
import { forgetReplicasText, ownedRunsText, renewalText } from "./journal-texts.ts";

/** Is how long a replica holds its runs without a sign of life, in milliseconds of the database's clock. */
export const leaseMs = 5_000;

/** Is how often a replica renews its lease while that lasts. */
const renewals = 5;

/** Is the pause of `confirm` after a sign of life that the database did not take, in milliseconds. */
const pauseMs = 100;

/** Holds the runs of this process for as long as it tells the database that it lives. */
export interface ReplicaLease {
  /** Names this start of a process. */
  readonly id: string;
  /** Is true when this process has been connected for one whole lease without a break: whoever gave no sign of life by then is gone. */
  readonly isSettled: boolean;
  /** Resolves when the database knows this process. */
  begin(): Promise<void>;
  /**
   * Resolves when nobody can have taken this process for a dead one since its last sign of life: at once, or with the next one. Rejects
   * where none can be given.
   */
  confirm(): Promise<void>;
  /** Ends it: what this process has not ended is interrupted. */
  release(): Promise<void>;
}

/** Is a run in the epoch in which this process has got it. */
export interface OwnedRun {
  run: string;
  epoch: number;
}

/** Returns what is the same for the same run in the same epoch. */
export function toKey({ run, epoch }: OwnedRun): string {
  return `${epoch} ${run}`;
}

/**
 * Is a moment by both clocks of this machine, in milliseconds: one that nobody sets, and which stands while the machine is suspended, and
 * the time of day, which goes on.
 */
interface Moment {
  steady: number;
  wall: number;
}

function readClocks(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/** Returns how long it is from one moment to a later one at least, by the clock that has counted more. */
function measure(from: Moment, to: Moment): number {
  return Math.max(to.steady - from.steady, to.wall - from.wall);
}

export interface LeaseOptions {
  reachability: Pick<Reachability, "use" | "follow" | "waitUntilBack">;
  /** Lists the formats of runs that this program reads. */
  formats: readonly number[];
  /** Is shorter in tests. */
  lastsMs?: number | undefined;
  /** Is called before each renewal, and the function that it returns with the runs that this process holds by then. */
  onRenewal(): (held: readonly OwnedRun[]) => void;
}

export function createReplicaLease({
  reachability,
  formats,
  lastsMs = leaseMs,
  onRenewal,
}: LeaseOptions): ReplicaLease {
  const id = `${hostname()}-${process.pid}-${createRandomHex().slice(0, 12)}`;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  let connectedAt = Number.POSITIVE_INFINITY;
  let renewedAt: Moment = { steady: Number.NEGATIVE_INFINITY, wall: 0 };
  reachability.follow((problem) => {
    if (problem !== undefined) connectedAt = Number.POSITIVE_INFINITY;
    else if (timer !== undefined) renewNow();
  });

  async function renew(): Promise<void> {
    const compare = onRenewal();
    const startedAt = readClocks();
    const { rows } = await reachability.use(async (client) => {
      await client.query({ name: "renew-lease", text: renewalText, values: [id, lastsMs, `{${formats.join(",")}}`] });
      return client.query<OwnedRun>({ name: "list-held-runs", text: ownedRunsText, values: [id] });
    });
    // A process that stood still may have been taken for a dead one.
    const isUnbroken = measure(renewedAt, startedAt) < lastsMs / 2 && connectedAt !== Number.POSITIVE_INFINITY;
    if (!isUnbroken) connectedAt = startedAt.steady;
    renewedAt = startedAt;
    compare(rows);
  }

  /** Waits for the renewal that is under way, or for a new one. */
  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  function renewNow(): void {
    void ignoreRejection(renewOnce(), "the next renewal makes up for it");
  }

  async function begin(): Promise<void> {
    await renew();
    timer = setInterval(renewNow, lastsMs / renewals).unref();
    const forgetting = reachability.use((client) => client.query(forgetReplicasText));
    void ignoreRejection(forgetting, "the next process does it");
  }

  const isFresh = (): boolean => measure(renewedAt, readClocks()) < lastsMs;

  return {
    id,
    async confirm() {
      const until = performance.now() + longestOutageMs;
      while (!isFresh()) {
        try {
          await renewOnce();
        } catch (thrown) {
          const leftMs = until - performance.now();
          if (leftMs <= 0) throw thrown;
          await reachability.waitUntilBack(leftMs);
          // It may be reachable, and take no sign of life all the same: its disk is full, or a right is missing.
          await sleep(pauseMs);
        }
      }
    },
    get isSettled() {
      const at = readClocks();
      return at.steady - connectedAt >= lastsMs && measure(renewedAt, at) < lastsMs / 2;
    },
    begin() {
      begun ??= begin().catch((thrown: unknown) => {
        begun = undefined;
        throw thrown;
      });
      return begun;
    },
    async release() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      await ignoreRejection(renewing ?? Promise.resolve(), "it ends now");
      await reachability.use((client) => client.query("DELETE FROM replicas WHERE id = $1", [id]));
    },
  };
}

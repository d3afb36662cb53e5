import { hostname } from "node:os";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { PostgresConnection } from "./connection.ts";

/** Is how long a replica holds its runs without a sign of life, in milliseconds of the database's clock. */
export const leaseMs = 5_000;

/** Is how often it gives one, in milliseconds. */
const renewalMs = 1_000;

/** Holds the runs of this process for as long as it tells the database that it lives. */
export interface ReplicaLease {
  /** Names this start of a process. */
  readonly id: string;
  /** Resolves when the database knows this process. */
  begin(): Promise<void>;
  /** Ends it: what this process has not ended is interrupted. */
  release(): Promise<void>;
}

export function createReplicaLease(connection: PostgresConnection): ReplicaLease {
  const id = `${hostname()}-${process.pid}-${createRandomHex().slice(0, 12)}`;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> | undefined;

  async function renew(): Promise<void> {
    await connection.query("renew-lease", renewalText, [id, leaseMs]);
  }

  async function begin(): Promise<void> {
    await renew();
    timer = setInterval(() => void ignoreRejection(renew(), "the next renewal makes up for it"), renewalMs).unref();
  }

  return {
    id,
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
      await connection.query("end-lease", "DELETE FROM replicas WHERE id = $1", [id]);
    },
  };
}

/** All times are the database's: the clocks of two replicas may differ. */
const renewalText = `
  INSERT INTO replicas (id, alive_until) VALUES ($1, now() + $2 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`;

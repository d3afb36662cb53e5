import type { PoolClient } from "../client.ts";

/**
 * Lists the formats of a run's steps that this program reads. It writes the newest one that every living replica reads. A change that an
 * earlier program would misread makes another format.
 */
export const knownFormats: readonly number[] = [1];

/** Is the first version of the tables in which a run has a format. */
const firstFormats = 2;

/** Writes formats as PostgreSQL writes a list. */
export function toFormatList(formats: readonly number[]): string {
  return `{${formats.join(",")}}`;
}

/** Counts the unfinished runs that only a newer program can read, in tables of this version. */
export async function countNewerRuns(client: PoolClient, version: number): Promise<number> {
  if (version < firstFormats) return 0;
  const { rows } = await client.query(
    "SELECT count(*) AS n FROM journal_runs WHERE state = 'going' AND NOT format = ANY(CAST($1 AS integer[]))",
    [toFormatList(knownFormats)],
  );
  return Number(rows[0]?.n);
}

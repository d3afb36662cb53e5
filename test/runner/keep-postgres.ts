import { startKeeper } from "../fakes/postgres/find-keeper.ts";
import { ownPostgres } from "../fakes/postgres.ts";

/** Starts the process that keeps the PostgreSQL servers of this test run; it starts none before a test asks for one. */
export default async function keepPostgres(): Promise<(() => Promise<void>) | undefined> {
  if (!ownPostgres.isMet) return undefined;
  const keeper = await startKeeper();
  return keeper.end;
}

/** Returns SQLite's primary result code (https://www.sqlite.org/rescode.html). */
export function getSqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number")) return undefined;
  return thrown.errcode & 0xff;
}

/** Returns true when another process holds the lock. */
export function isBusy(thrown: unknown): boolean {
  const code = getSqliteCode(thrown);
  return code === 5 || code === 6;
}

/** Returns true when the file is damaged, is not a database, or does not belong to the store. */
export function isDamage(thrown: unknown): boolean {
  const code = getSqliteCode(thrown);
  return code === 11 || code === 26 || thrown instanceof WrongTablesError;
}

/** Reports a sound database whose tables are not the store's. */
export class WrongTablesError extends Error {
  override readonly name = "WrongTables";
}

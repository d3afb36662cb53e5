import { type DuetError, getMessage } from "../../kit/errors.ts";
import { allInUse, busy, needsTls, noEntry, noTls } from "../errors/postgres-reasons.ts";
import { toStoreError } from "../errors/store-error.ts";
import { foreignTablesError } from "./wrong-database-errors.ts";

/** Returns the code of an error of the server (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function getSqlState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && "code" in thrown && "severity" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Explains what the server or the connection to it has thrown. */
export function toDatabaseError(thrown: unknown, place: string): DuetError {
  // What a migration makes is there, although no migration has made it.
  if (getSqlState(thrown) === "42P07") return foreignTablesError(getMessage(thrown), place);
  const code = findCode(thrown);
  return toStoreError(code === undefined ? thrown : new CodedError(thrown, code), place);
}

/** Tells a database that has not made a connection in time from one that refuses it. */
export function toConnectError(thrown: unknown): unknown {
  return findCode(thrown) === lost && /timeout/i.test(getMessage(thrown)) ? new CodedError(thrown, busy) : thrown;
}

/** Tells work that has waited too long behind other work of this process, which has its place in the database. */
export function turnTimeoutError(): Error {
  return new CodedError(new Error("timeout exceeded when waiting for a turn"), allInUse);
}

/** Is the code of a failed connection. */
const lost = "08006";

/**
 * Lists what the package reports without a code, with the code of a failed connection, of too few of them, or of a wrong password
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const uncoded: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect/, allInUse],
  [/timeout|terminated|not queryable/i, lost],
  [/does not support SSL/, noTls],
  // A server that wants a password is given none.
  [/client password must be a (?:non-empty )?string/, "28P01"],
];

/** Lists what a server refuses with one code and different texts. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/pg_hba\.conf.*no encryption/, needsTls],
  [/pg_hba\.conf/, noEntry],
];

function findCode(thrown: unknown): string | undefined {
  if (getSqlState(thrown) === "28000") return refusals.find(([message]) => message.test(getMessage(thrown)))?.[1];
  if (!(thrown instanceof Error) || "code" in thrown) return undefined;
  return uncoded.find(([message]) => message.test(thrown.message))?.[1];
}

class CodedError extends Error {
  readonly code: string;

  constructor(cause: unknown, code: string) {
    super(cause instanceof Error ? cause.message : "", { cause });
    this.code = code;
  }
}

import { describe, expect, test } from "vitest";
import { StoreError, toOperatorError } from "../../../src/store/errors/store-error.ts";
import { toDatabaseError } from "../../../src/store/postgres/database-error.ts";

describe("what the operator is told to do about a database that cannot be used", () => {
  const remedies: readonly (readonly [code: string, what: string, hint: string])[] = [
    ["ECONNREFUSED", "is not there", "Check that PostgreSQL is running, and its address, user and password."],
    ["28P01", "refuses the password", "Check that PostgreSQL is running, and its address, user and password."],
    [
      "53300",
      "has no connection left",
      "Raise max_connections, or the CONNECTION LIMIT of the role or database (10 for each replica), or end other clients.",
    ],
    [
      "53400",
      "is asked more than the process has connections for",
      "This process uses 8 connections at most; ask fewer questions at once, or add a replica.",
    ],
    ["53000", "is too busy", "Look at the load of the database's machine."],
    [
      "25006",
      "only reads",
      "Point store.url at the primary. Where it is the primary, turn default_transaction_read_only off for the role and the database.",
    ],
    ["3D000", "does not exist", "Create the database, or correct its name in store.url."],
    ["55P03", "has its tables locked", "Try again when that has ended."],
  ];

  test.each(remedies)("fits its cause: %s, one that %s", (code, _, hint) => {
    const error = new StoreError(Object.assign(new Error("no"), { code }), "postgres://db/duet");
    expect(toOperatorError(error)).toMatchObject({ code: "network", hint: { en: hint } });
  });

  test.each([
    ["no encryption", "Add sslmode=verify-full to the address."],
    ["SSL encryption", "Add a line there, and reload its settings."],
  ])("fits a server that lets nobody in with %s", (how, hint) => {
    const message = `no pg_hba.conf entry for host "10.0.0.2", user "duet", database "duet", ${how}`;
    const refused = Object.assign(new Error(message), { code: "28000", severity: "FATAL" });
    expect(toOperatorError(toDatabaseError(refused, "postgres://db/duet"))).toMatchObject({ hint: { en: hint } });
  });

  test("whoever asks is told when to come again, and nothing about the server", () => {
    const error = new StoreError(Object.assign(new Error("no"), { code: "53300" }), "postgres://db/duet");
    expect(error).toMatchObject({ code: "overloaded", hint: { en: "Try again later." } });
    expect(error.message).not.toContain("postgres://");
  });
});

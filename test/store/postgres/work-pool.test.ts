import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openPostgresConnection } from "../../../src/store/postgres/connection.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";

describe("a server that has no connection left", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  /** Connects as a user who may have so many connections, and keeps what is told. */
  async function openLimited(limit: number) {
    const database = await server.createDatabase();
    const role = `limited_${randomBytes(6).toString("hex")}`;
    await query(database, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${limit} IN ROLE pg_read_all_data`);
    const url = new URL(database);
    url.username = role;
    const connection = openPostgresConnection(url.href);
    const told: string[] = [];
    connection.reachability.follow((problem) => told.push(problem ? "away" : "back"));
    connection.followShortage((problem) => told.push(problem ? "few" : "enough"));
    onTestFinished(async () => {
      vi.useRealTimers();
      await connection.close();
      await query(database, `DROP ROLE ${role}`);
    });
    await connection.reachability.open();
    return {
      ...connection,
      told,
      ask: () => connection.query("one", "SELECT 1 AS one, pg_sleep(0.02)"),
      allow: (most: number) => query(database, `ALTER ROLE ${role} CONNECTION LIMIT ${most}`),
    };
  }

  test("answers over the connections that there are, and says once that there are few and once that there are enough", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { ask, allow, told, reachability } = await openLimited(2);
    await ask();
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 6 }, ask));
      expect(answers.map(({ rows }) => rows[0]?.one)).toEqual([1, 1, 1, 1, 1, 1]);
      expect([told, reachability.problem]).toEqual([["few"], undefined]);
    }
    await allow(12);
    await expect
      .poll(() => {
        vi.advanceTimersByTime(2_000);
        return told;
      })
      .toEqual(["few", "enough"]);
  });

  test("is away as long as there is none for work, although the one of the lease answers", async () => {
    const { ask, allow, told, reachability } = await openLimited(1);
    await expect(ask()).rejects.toMatchObject({ code: "overloaded" });
    await expect(reachability.waitUntilBack(2_000)).rejects.toMatchObject({ code: "overloaded" });
    expect(told).toEqual(["away"]);
    await allow(4);
    await reachability.waitUntilBack(10_000);
    expect((await ask()).rows[0]?.one).toBe(1);
    expect(told).toEqual(["away", "back"]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { isPassing, isUnreachable } from "../../../src/store/errors/store-error.ts";
import { openPostgresConnection } from "../../../src/store/postgres/connection.ts";
import { createNotifications } from "../../../src/store/postgres/notifications.ts";
import { defineStatement, lock } from "../../../src/store/sql/work.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { openCutProxy } from "../../fakes/proxy/cut-postgres.ts";
import { requires } from "../../runner/requirements.ts";

/** Gives the port of a process that listens and stands still, and whose queue of connections is full: it accepts no other one. */
async function listenDeaf(): Promise<number> {
  const program = `require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, function () {
    require("node:fs").writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  const waiting = Array.from({ length: 8 }, () => connect(Number(port), "127.0.0.1").on("error", () => {}));
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy();
    child.kill("SIGKILL");
  });
  await Promise.race(waiting.map((socket) => once(socket, "connect")));
  return Number(port);
}

describe("a database that is slow to make connections", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  /** Limits pass when a test says so. */
  async function openProxied() {
    const database = await server.createDatabase();
    const proxy = await openCutProxy(database);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connection = openPostgresConnection(proxy.url);
    onTestFinished(async () => {
      await connection.close();
      vi.useRealTimers();
    });
    const ask = () => connection.query("one", "SELECT 1 AS one");
    return { ...connection, ...proxy, database, ask };
  }

  test("lets work wait, and does not count as away", async () => {
    const { reachability, ask, holdConnections } = await openProxied();
    await reachability.open();
    const { first, release } = holdConnections();
    const asked = ask();
    await first;
    vi.advanceTimersByTime(9_000);
    expect(reachability.problem).toBeUndefined();
    release();
    expect((await asked).rows).toEqual([{ one: 1 }]);
  });

  test("fails work that has waited for ten seconds, which may come again, and other work goes on", async () => {
    const { reachability, ask, holdConnections } = await openProxied();
    await reachability.open();
    const { first, release } = holdConnections();
    const refused = ask().catch((thrown: unknown) => thrown);
    await first;
    vi.advanceTimersByTime(10_000);
    const thrown = await refused;
    expect(thrown).toMatchObject({ code: "overloaded", retryable: true, retryAfterMs: 1_000 });
    expect(isPassing(thrown)).toBe(true);
    expect(reachability.problem).toBeUndefined();
    const { rows } = await reachability.use((client) => client.query("SELECT 2 AS two"));
    expect(rows).toEqual([{ two: 2 }]);
    release();
    expect((await ask()).rows).toEqual([{ one: 1 }]);
  });

  test("fails work that has waited for ten seconds behind work with the same lock, which goes on", async () => {
    const { reachability, write, database, holdConnections } = await openProxied();
    await reachability.open();
    const [stay, pass] = [defineStatement("SELECT pg_sleep(60) AS slept"), defineStatement("SELECT 1 AS one")];
    const locked = (statement: typeof stay) =>
      write(function* () {
        yield* lock("caller anna");
        return yield* statement.get();
      }).catch((thrown: unknown) => thrown);
    const { first, release } = holdConnections();
    const before = locked(stay);
    await first;
    const refused = locked(pass);
    vi.advanceTimersByTime(9_000);
    release();
    const find = (what: string) =>
      query(
        database,
        `SELECT ${what} AS found FROM pg_stat_activity
         WHERE query LIKE '%pg_sleep(60)%' AND datname = current_database() AND pid <> pg_backend_pid()`,
      );
    await expect.poll(() => find("true")).toEqual([{ found: true }]);
    vi.advanceTimersByTime(1_000);
    const thrown = await refused;
    expect(thrown).toMatchObject({ code: "overloaded", retryable: true, retryAfterMs: 1_000 });
    expect([isPassing(thrown), reachability.problem]).toEqual([true, undefined]);
    expect(await find("pg_cancel_backend(pid)")).toEqual([{ found: true }]);
    expect(await before).toMatchObject({ message: expect.stringContaining("has cancelled the statement") });
    expect(await locked(pass)).toEqual({ one: 1 });
  });

  test("counts as away where its machine accepts no connection for two seconds", async () => {
    const port = await listenDeaf();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const connection = openPostgresConnection(`postgres://duet@127.0.0.1:${port}/duet`);
    onTestFinished(async () => {
      await connection.close();
      vi.useRealTimers();
    });
    const opened = connection.reachability.open().catch((thrown: unknown) => thrown);
    vi.advanceTimersByTime(1_999);
    await new Promise(setImmediate);
    expect(connection.reachability.problem).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(isUnreachable(await opened)).toBe(true);
    expect(connection.reachability.problem).toBe(await opened);
  });

  test("is opened when it answers", async () => {
    const { reachability, holdConnections } = await openProxied();
    const { first, release } = holdConnections();
    const opened = reachability.open();
    await first;
    vi.advanceTimersByTime(9_000);
    release();
    await opened;
    expect(reachability.problem).toBeUndefined();
  });

  test("does not count as away where it is slow to answer as well, and answers a new connection within two seconds", async () => {
    const { reachability, holdConnections } = await openProxied();
    await reachability.open();
    const { first, release } = holdConnections();
    const asked = reachability.use((client) => {
      const answering = client.query("SELECT pg_sleep(0.2)");
      vi.advanceTimersByTime(2_000);
      return answering;
    });
    await first;
    vi.advanceTimersByTime(1_900);
    release();
    await expect(asked).rejects.toMatchObject({ code: "overloaded" });
    expect(reachability.problem).toBeUndefined();
  });

  test("answers a process that stood still while it connected", async () => {
    const { reachability, ask } = await openProxied();
    await reachability.open();
    const asked = ask();
    // The system has the connection, of which this process does not know yet.
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await asked).rows).toEqual([{ one: 1 }]);
  });

  test("does not keep the end of a process waiting, which listens for notifications", async () => {
    const { url, holdConnections } = await openCutProxy(await server.createDatabase());
    const { first, release } = holdConnections();
    const notifications = createNotifications(url, async () => {});
    notifications.listen(() => {});
    await first;
    await notifications.close();
    release();
  });
});

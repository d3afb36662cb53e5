import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LostRunError, type TakenRun } from "../../../src/core/store/journal.ts";
import type { OperatorStore } from "../../../src/core/store/store.ts";
import { createDuet, openPostgresStore } from "../../../src/index.ts";
import { copiedTables } from "../../../src/store/copy/copied-tables.ts";
import { openPostgresRows } from "../../../src/store/copy/postgres-rows.ts";
import { toConnectionString } from "../../../src/store/postgres/address.ts";
import { openPostgresConnection } from "../../../src/store/postgres/connection.ts";
import { createPostgresJournal } from "../../../src/store/postgres/journal/journal.ts";
import { ownedRunsText, own as ownStatements, renewalText } from "../../../src/store/postgres/journal/journal-texts.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../../src/store/postgres/postgres-store.ts";
import { checkServerVersion } from "../../../src/store/postgres/schema.ts";
import { translateStatement } from "../../../src/store/postgres/translate.ts";
import { withDatabase } from "../../../src/store/postgres/with-database.ts";
import { listValues } from "../../../src/store/sql/number-parameters.ts";
import { statements } from "../../../src/store/sql/statements/statements.ts";
import { defineStatement, lock } from "../../../src/store/sql/work.ts";
import { readBlocks, taggedDocuments } from "../../documents/blocks.ts";
import { scriptedModel } from "../../fakes/model.ts";
import {
  keepLocked,
  ownPostgres,
  postgres,
  query,
  type SharedPostgres,
  sharePostgres,
  startPostgres,
  type TestPostgres,
} from "../../fakes/postgres.ts";
import { openCutProxy } from "../../fakes/proxy/cut-postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { testBranches } from "../contract/branches.ts";
import { testFiles } from "../contract/files.ts";
import { testIdempotencyRecords } from "../contract/idempotency-records.ts";
import { type CreateJournal, step, testJournal, told } from "../contract/journal.ts";
import { testKeptConversations } from "../contract/kept-conversations.ts";
import { testOwners } from "../contract/owners.ts";
import { testResponseRecords } from "../contract/response-records.ts";
import { testRunPlaces } from "../contract/run-places.ts";
import { testSharedRecords } from "../contract/shared-records.ts";
import { testSummaries } from "../contract/summaries.ts";
import { testTitles } from "../contract/titles.ts";
import { newRun } from "../journal-runs.ts";
import { finishedRun, page } from "../runs.ts";
import { startProcess } from "../start-process.ts";
import type { OpenTestStore } from "../stores.ts";

describe("a store in PostgreSQL", requires(postgres), () => {
  let server: TestPostgres;
  /** Makes databases of their own for some tests, which have the tables already. */
  let shared: SharedPostgres;
  let url: string;

  beforeAll(async () => {
    [server, shared] = await Promise.all([startPostgres(), sharePostgres()]);
    url = await server.createDatabase();
    await (await createPostgresStore(url)).close();
  });
  afterAll(async () => {
    await shared?.stop();
    await server?.stop();
  });

  /** Opens the database of all tests, as another process does. */
  const openAgain: OpenTestStore = async (options) => {
    const store = await createPostgresStore(url, options);
    onTestFinished(() => store.close());
    return store;
  };
  const clear = () =>
    query(
      url,
      copiedTables
        .map(({ name }) => `DELETE FROM ${name}`)
        .reverse()
        .join(";"),
    );
  /** Opens it when it is empty. */
  const open: OpenTestStore = async (options) => {
    await clear();
    return openAgain(options);
  };
  const createJournal: CreateJournal = async () => {
    await clear();
    return async () => {
      const store = await openAgain();
      return {
        journal: store.journal,
        end: (runId) => store.append({ ...finishedRun(`conv-${runId}`, "?", "Yes."), runId }),
        async remove(runId) {
          await store.remove(`conv-${runId}`);
        },
        die: () => store.close(),
      };
    };
  };

  const name = "in PostgreSQL";
  for (const suite of [
    testBranches,
    testKeptConversations,
    testOwners,
    testResponseRecords,
    testSummaries,
    testTitles,
    testIdempotencyRecords,
  ])
    suite(name, open);
  testRunPlaces(name, async (now) => {
    const stores = [await open({ now }), await openAgain({ now })] as const;
    const toPlaces = (store: OperatorStore) => (owner: string) => {
      const { runPlaces } = store.of(owner);
      if (runPlaces === undefined) throw new Error("the store counts no runs");
      return runPlaces;
    };
    return [toPlaces(stores[0]), toPlaces(stores[1])];
  });
  testSharedRecords(name, async (now) => {
    const stores = [await open({ now }), await openAgain({ now })];
    const [here, there] = stores.map(({ records }) => records);
    if (here === undefined || there === undefined) throw new Error("the store keeps no records");
    return [here, there];
  });
  testFiles(name, open, async () => {
    const [row] = await query(url, "SELECT count(*)::int AS n FROM files");
    return Number(row?.n);
  });
  testJournal("PostgreSQL", createJournal);

  test("every statement that it shares with SQLite is one of PostgreSQL's", async () => {
    const texts = Object.values(statements).map(({ text }) => translateStatement(text).text);
    // What is prepared with all columns of a table fails when a newer Duet adds one.
    expect(texts.filter((text) => /\*\s+FROM/.test(text))).toEqual([]);
    await query(url, texts.map((text, index) => `PREPARE s${index} AS ${text}`).join(";\n"));
  });

  test("what the documents have an operator do in SQL is done", async () => {
    const blocks = taggedDocuments.flatMap((file) => readBlocks(file)).filter(({ tag }) => tag?.kind === "postgres");
    expect(blocks.length).toBeGreaterThan(3);
    const own = await shared.createDatabase();
    for (const { text } of blocks) await query(own, text);
  });

  test("one database is shared: a reader sees what another process has just appended", async () => {
    const [here, there] = [await open(), await openAgain()];
    await here.append(finishedRun("conv-1", "One?", "Yes."));
    const before = await there.readVersion?.();
    expect((await there.load("conv-1"))?.turns).toHaveLength(1);
    await here.append(finishedRun("conv-1", "Two?\0", "Yes."));
    expect(await there.readVersion?.()).not.toBe(before);
    expect((await there.load("conv-1"))?.turns[1]?.question).toBe("Two?\ufffd");
  });

  /** Two processes with one database. */
  const openTwo = async () => [await open(), await openAgain()] as const;

  /** Opens a store whose replica waits for a short time only before it takes runs of others. */
  const openQuick = async (options: PostgresStoreOptions = {}): Promise<OperatorStore> => {
    const store = await createPostgresStore(url, { leaseMs: 500, ...options });
    onTestFinished(() => store.close());
    return store;
  };

  const everyRun = { entrance: "http", withinMs: 600_000, most: 10 } as const;

  /** Makes the replica that holds a run look as one that has given no sign of life for a whole lease. */
  const endLease = (run: string) =>
    query(
      url,
      "UPDATE replicas SET alive_until = now() - interval '1 second' WHERE id = (SELECT holder FROM journal_runs WHERE run = $1)",
      [run],
    );

  test("two processes append to one conversation side by side: none is lost, each keeps its order, and pages keep their numbers", async () => {
    const stores = await openTwo();
    const asked = async (store: OperatorStore, who: string): Promise<void> => {
      const { sources } = await store.create("conv-1");
      for (let n = 0; n < 10; n++) {
        const pages = [page(`https://${n % 7}.example`), page(`https://${who}-${n}.example`)];
        await Promise.all([sources.number(pages), store.append(finishedRun("conv-1", `${who}-${n}`, "Yes."))]);
      }
    };
    await Promise.all([asked(stores[0], "a"), asked(stores[1], "b")]);
    const { turns = [], sources } = (await stores[0].load("conv-1")) ?? {};
    for (const who of ["a", "b"])
      expect(turns.map(({ question }) => question).filter((each) => each.startsWith(who))).toEqual(
        Array.from({ length: 10 }, (_, n) => `${who}-${n}`),
      );
    const numbered = sources?.all() ?? [];
    expect(numbered.map(({ n }) => n)).toEqual(Array.from({ length: 27 }, (_, index) => index + 1));
    expect(new Set(numbered.map(({ source }) => source.url)).size).toBe(27);
  });

  test("of many that begin for one key at once, in two processes, one may", async () => {
    const stores = await openTwo();
    const all = Array.from({ length: 20 }, (_, n) =>
      stores[n % 2 === 0 ? 0 : 1].of("anna").idempotency.add({ runId: `run-a${n}`, beginning: "run-a" }),
    );
    expect((await Promise.all(all)).filter((found) => found === undefined)).toHaveLength(1);
  });

  test("sixty turns that want to begin at once in two processes are granted no more than the day has left", async () => {
    const stores = await openTwo();
    const spend = { tokens: 10, cost: 0 };
    const all = Array.from({ length: 60 }, (_, n) => {
      const { dailyUsage } = stores[n % 2 === 0 ? 0 : 1].of("anna");
      return dailyUsage.reserve({ id: `turn-${n}`, spend, limits: { tokens: 55 }, lastsMs: 60_000 });
    });
    expect((await Promise.all(all)).filter(({ isGranted }) => isGranted)).toHaveLength(5);
    await stores[0].of("anna").dailyUsage.settle("turn-0", spend);
    expect((await stores[1].of("anna").dailyUsage.read()).used).toEqual(spend);
  });

  test("of ten that take a run whose replica gives no sign of life one gets it, and its late writes count no more", async () => {
    const stores = [await open(), await openQuick()] as const;
    const run = await stores[0].journal.begin(newRun("run-1"));
    await run.add(step("turn:decide:1"));
    await run.addEvents(0, [told]);
    expect(await stores[1].journal.take("run-1")).toBeUndefined();
    let taken: (TakenRun | undefined)[] = [];
    const takeByTen = async (): Promise<number> => {
      await endLease("run-1");
      taken = await Promise.all(Array.from({ length: 10 }, () => stores[1].journal.take("run-1")));
      return taken.filter((each) => each !== undefined).length;
    };
    // Whoever was not connected for a whole lease cannot know that a replica is gone.
    await stores[1].journal.takeOver?.(everyRun);
    expect(await takeByTen()).toBe(0);
    await expect.poll(takeByTen).toBe(1);
    const [own] = taken.filter((each) => each !== undefined);
    expect([own?.steps.length, own?.events]).toEqual([1, [told]]);
    const file = { hash: "a".repeat(64), bytes: Buffer.from("a") };
    const late = [
      run.add(step("turn:decide:2")),
      run.add({ ...step("call:c1"), files: [file] }),
      run.addEvents(1, [told]),
    ];
    for (const each of await Promise.allSettled(late)) expect(each).toMatchObject({ reason: expect.any(LostRunError) });
    await run.forbid("stopped");
    await own?.journal.add(step("turn:answer:1"));
    expect(await query(url, "SELECT name FROM journal_steps ORDER BY n")).toEqual([
      { name: "turn:decide:1" },
      { name: "turn:answer:1" },
    ]);
    expect(await query(url, "SELECT state, epoch FROM journal_runs")).toEqual([{ state: "going", epoch: 2 }]);
  });

  test("a program keeps its conversations there, and another program goes on with them", async () => {
    await clear();
    const ask = async (question: string, answer: string) => {
      const store = await openPostgresStore(url);
      const model = scriptedModel([{ text: answer }], "one");
      const duet = await createDuet({
        store,
        models: { functionCall: model, answer: model },
        config: { locale: "en" },
      });
      onTestFinished(async () => {
        await duet.close();
        await store.close();
      });
      const outcome = await duet.ask(question, { conversationId: "conv-1" });
      return { outcome, prompts: JSON.stringify(model.requests.at(-1)?.messages) };
    };
    expect((await ask("Is it warm?", "It is warm.")).outcome).toMatchObject({ status: "complete" });
    const { outcome, prompts } = await ask("And tomorrow?", "Also tomorrow.");
    expect(outcome.response).toBe("Also tomorrow.");
    expect(prompts).toContain("It is warm.");
  });

  test("a connection that the server ends in the midst of a transaction fails that one alone, and a cancelled statement is told as one", async () => {
    const connection = openPostgresConnection(url);
    onTestFinished(() => connection.close());
    const sleep = defineStatement("SELECT pg_sleep(60) AS slept");
    const rest = () =>
      connection.write(function* () {
        yield* lock("rest");
        yield* sleep.get();
      });
    /** Ends what sleeps, once it does. */
    const end = (how: "terminate" | "cancel") =>
      expect
        .poll(() =>
          query(
            url,
            `SELECT pg_${how}_backend(pid) AS ended FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`,
          ),
        )
        .toEqual([{ ended: true }]);
    await Promise.all([expect(rest()).rejects.toMatchObject({ failure: "unreachable" }), end("terminate")]);
    await connection.reachability.waitUntilBack(10_000);
    await Promise.all([expect(rest()).rejects.toThrow("the database has cancelled the statement"), end("cancel")]);
  });

  test("work that waits for a connection when the database turns out to be gone does not begin when it is back", async () => {
    await clear();
    const connection = openPostgresConnection(url);
    onTestFinished(() => connection.close());
    const [slow, limit, add] = [
      defineStatement("SELECT pg_sleep(50) AS slept"),
      defineStatement("SHOW statement_timeout"),
      defineStatement("INSERT INTO typed_texts (text) VALUES ('late')"),
    ];
    // The server gives a statement up before its process does, which waits for ten seconds.
    expect(await connection.read(() => limit.get())).toEqual({ statement_timeout: "9s" });
    const all = [
      ...Array.from({ length: 8 }, () => connection.read(() => slow.get())),
      connection.write(() => add.run()),
    ];
    const failed = Promise.all(all.map((each) => expect(each).rejects.toMatchObject({ failure: "unreachable" })));
    const sleeping = "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(50)%' AND pid <> pg_backend_pid()";
    await expect.poll(() => query(url, `SELECT count(*)::int AS n ${sleeping}`)).toEqual([{ n: 8 }]);
    await query(url, `SELECT pg_terminate_backend(pid) ${sleeping}`);
    await failed;
    await connection.reachability.waitUntilBack(10_000);
    await connection.close();
    expect(await query(url, "SELECT text FROM typed_texts")).toEqual([]);
  });

  test("a step is recorded although the server gave its statement up", async () => {
    const run = await (await open()).journal.begin(newRun("run-1"));
    const unlock = await keepLocked(url, "LOCK TABLE journal_steps IN ACCESS EXCLUSIVE MODE");
    const adding = run.add(step("turn:decide:1"));
    const cancel = () =>
      query(
        url,
        "SELECT pg_cancel_backend(pid) AS ended FROM pg_stat_activity WHERE query LIKE '%INSERT INTO journal_steps%' AND wait_event_type = 'Lock'",
      );
    await expect.poll(cancel).toEqual([{ ended: true }]);
    await unlock();
    await adding;
    expect(await query(url, "SELECT name FROM journal_steps")).toEqual([{ name: "turn:decide:1" }]);
  });

  test.each(["15.18 (Debian 15.18-0+deb12u1)", "9.6.24"])("PostgreSQL %s is refused, by its version", (version) => {
    const [number] = version.split(" ");
    expect(() => checkServerVersion(version, "postgres://db.example/duet")).toThrow(
      `the database postgres://db.example/duet is PostgreSQL ${number}; Duet needs PostgreSQL 16 or newer`,
    );
    for (const good of ["16.0", "18.1 (Debian 18.1-1)", "19beta1"]) checkServerVersion(good, "");
  });

  test("a database that cannot store every text is refused, by its encoding", async () => {
    const name = `latin_${randomBytes(8).toString("hex")}`;
    await query(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
    onTestFinished(() => void query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    const own = new URL(url);
    own.pathname = `/${name}`;
    await expect(createPostgresStore(own.href)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/has the encoding LATIN1; it has to be UTF8$/),
    });
  });

  test("what is no address of PostgreSQL is refused without its password", async () => {
    expect(toConnectionString("postgres://h/d?sslmode=require&a=b")).toBe("postgres://h/d?sslmode=verify-full&a=b");
    for (const [address, shown] of [
      ["nonsense", "nonsense"],
      ["postgres://duet:p/w@127.0.0.1/db", "postgres://duet:***@127.0.0.1/db"],
      ["mysql://duet:secret@127.0.0.1/db?a=b", "mysql://duet:***@127.0.0.1/db"],
      ["postgres://duet:se%ret@127.0.0.1/db", "postgres://duet:***@127.0.0.1/db"],
      ["postgres://duet:secret", "postgres://duet:***"],
      ["host=127.0.0.1 password=secret", "host=***"],
    ])
      await expect(openPostgresStore(String(address))).rejects.toMatchObject({
        code: "config",
        message: expect.stringContaining(`"${shown}"`),
      });
    await expect(openPostgresStore("postgres://duet:/secret@127.0.0.1:9/db")).rejects.toMatchObject({
      message: expect.stringContaining('"postgres://duet:***@127.0.0.1:9/db"'),
    });
    await expect(createPostgresStore("postgres://duet:secret@127.0.0.1:9/db")).rejects.toMatchObject({
      failure: "unreachable",
      described: { en: expect.stringContaining(" postgres://duet@127.0.0.1:9/db cannot be used") },
    });
  });

  test(
    "a server that ends is told as one that cannot be reached, nothing is stored by halves, and the store goes on with the next one",
    requires(ownPostgres),
    async () => {
      const store = await open();
      await store.append(finishedRun("conv-1", "One?", "Yes."));
      const run = await store.journal.begin(newRun("run-1"));
      await server.kill();
      for (const work of [() => store.load("conv-1"), () => store.append(finishedRun("conv-1", "Two?", "Yes."))])
        await expect(work()).rejects.toMatchObject({
          ...{ failure: "unreachable", mayPass: true, retryable: true, code: "overloaded" },
          message: "the conversation store cannot be used: the database cannot be reached",
        });
      // More than may wait in memory is told at once.
      const tooMuch = expect(run.add(step("call:c1", "x".repeat(64_000_000)))).rejects.toMatchObject({
        failure: "unreachable",
      });
      await server.start();
      await tooMuch;
      const canRead = () =>
        store.load("conv-1").then(
          () => true,
          () => false,
        );
      await expect.poll(canRead).toBe(true);
      await store.append(finishedRun("conv-1", "Three?", "Yes."));
      expect((await store.load("conv-1"))?.turns.map(({ question }) => question)).toEqual(["One?", "Three?"]);
    },
  );

  test("a database that only reads, as one that a standby has replaced, counts as away until it writes again", async () => {
    const own = await server.createDatabase();
    const name = new URL(own).pathname.slice(1);
    const setReadOnly = async (mode: "on" | "off") => {
      await query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = ${mode}`);
      await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
    };
    const store = await createPostgresStore(own);
    onTestFinished(() => store.close());
    const run = await store.journal.begin(newRun("run-1"));
    await setReadOnly("on");
    const adding = run.add(step("turn:decide:1"));
    await expect.poll(() => store.load("conv-1").catch(({ message }) => message)).toContain("only reads");
    await expect(createPostgresStore(own)).rejects.toMatchObject({ failure: "unreachable" });
    expect(await Promise.race([adding, sleep(100, "waits")])).toBe("waits");
    await setReadOnly("off");
    await adding;
    expect(await query(own, "SELECT name, epoch FROM journal_steps JOIN journal_runs USING (run)")).toEqual([
      { name: "turn:decide:1", epoch: 1 },
    ]);
  });

  test("a process that is killed loses no turn that it had acknowledged, and its runs go to one process each", async () => {
    const stores = [await open(), await openQuick()] as const;
    const writer = await startProcess("append", url, "conv-1", "r", "100000");
    writer.go();
    let seen = 0;
    for await (const _ of writer.lines) if (++seen === 15) writer.child.kill("SIGKILL");
    const asked = (await stores[0].load("conv-1"))?.turns.map(({ question }) => question) ?? [];
    expect([seen, seen + 1]).toContain(asked.length);
    expect(asked).toEqual(asked.map((_, n) => `r-${n}`));

    const holder = await startProcess("runs", url, "5");
    holder.go();
    await holder.lines.next();
    expect(await stores[0].journal.listInterrupted()).toEqual([]);
    const other = await openQuick();
    holder.child.kill("SIGKILL");
    const taken = new Set<string>();
    const twice: string[][] = [];
    // On a busy machine a taker may itself give no sign of life for its short lease, and lose what it took to the other one.
    const takeOver = async (): Promise<number> => {
      const found = await Promise.all([stores[1], other].map(({ journal }) => journal.takeOver?.(everyRun)));
      const runs = found.flatMap((each = []) => each.map(({ runId }) => runId));
      if (new Set(runs).size < runs.length) twice.push(runs);
      for (const run of runs) taken.add(run);
      return taken.size;
    };
    expect(await takeOver()).toBe(0);
    const lasts =
      "SELECT alive_until - now() <= interval '5 seconds' AS ends FROM replicas WHERE id = (SELECT DISTINCT holder FROM journal_runs)";
    expect(await query(url, lasts)).toEqual([{ ends: true }]);
    await endLease("run-0");
    await expect.poll(takeOver).toBe(5);
    expect(twice).toEqual([]);
  });

  test("a run that is let go goes on elsewhere at once, and that counts as no end of its process", async () => {
    const stores = [await open(), await openQuick()] as const;
    const run = await stores[0].journal.begin(newRun("run-1"));
    await run.add(step("turn:decide:1"));
    // What PostgreSQL cannot read as JSON keeps no other run from being taken.
    const odd = newRun("run-odd");
    await stores[0].journal.begin({ ...odd, header: { ...odd.header, question: "Is \0 or \ud800 known?" } });
    expect(await stores[1].journal.takeOver?.(everyRun)).toEqual([]);
    await run.letGo?.();
    expect(run.moved?.reason).toBeInstanceOf(LostRunError);
    const [taken] = (await stores[1].journal.takeOver?.(everyRun)) ?? [];
    expect([taken?.runId, taken?.ends, taken?.isHandedOver, taken?.steps.length]).toEqual(["run-1", 0, true, 1]);
    await expect(run.add(step("call:c1"))).rejects.toBeInstanceOf(LostRunError);
    await taken?.journal.letGo?.();
    const takeAgain = async () =>
      (await stores[1].journal.takeOver?.(everyRun))?.map(({ ends, isHandedOver }) => [ends, isHandedOver]);
    expect(await takeAgain()).toEqual([[0, true]]);
    // Each later end without a new step counts, as it did before.
    for (const ends of [1, 2]) {
      await query(url, "UPDATE journal_runs SET holder = 'killed' WHERE run = 'run-1'");
      await expect.poll(takeAgain).toEqual([[ends, false]]);
    }
    expect(await stores[1].journal.takeOver?.({ ...everyRun, entrance: "stdio" })).toEqual([]);
  });

  test("a run that only a newer Duet can read is not copied out of the database", async () => {
    const stores = await openTwo();
    await stores[0].journal.begin(newRun("run-1"));
    await query(url, "UPDATE journal_runs SET format = 99");
    for (const store of stores) await store.close();
    await expect(openPostgresRows(url, "read")).rejects.toThrow("has 1 unfinished run that only a newer Duet can read");
  });

  test("a run that was begun without its asker knowing may begin again, and one that has a step or a holder may not", async () => {
    const stores = await openTwo();
    const begin = (at: 0 | 1) => stores[at].journal.begin(newRun("run-1"));
    const first = await begin(0);
    await expect(begin(1)).rejects.toBeInstanceOf(LostRunError);
    const second = await begin(0);
    await expect(first.add(step("turn:decide:1"))).rejects.toBeInstanceOf(LostRunError);
    await query(url, "UPDATE journal_runs SET state = 'unrecorded'");
    const third = await begin(1);
    await expect(second.add(step("turn:decide:1"))).rejects.toBeInstanceOf(LostRunError);
    await third.add(step("turn:decide:1"));
    await expect(begin(1)).rejects.toBeInstanceOf(LostRunError);
    expect(await query(url, "SELECT state, epoch FROM journal_runs")).toEqual([{ state: "going", epoch: 3 }]);
  });

  /** Makes a database with one run and the replica that holds it. */
  async function openDatabaseWithRun(): Promise<string> {
    const own = await shared.createDatabase();
    const store = await createPostgresStore(own);
    onTestFinished(() => store.close());
    await store.journal.begin(newRun("run-1"));
    return own;
  }

  /** Gives the statement with which a replica that has been connected for long looks for runs to take over. */
  function takeOverAs(holder: string): { text: string; values: unknown[] } {
    const { text, names } = translateStatement(ownStatements.takeOver.text);
    const bound = { holder, formats: "{1}", settled: 1, entrance: "http", within: 600_000, most: 10 };
    return { text, values: listValues(names, bound) };
  }

  test("a run that another process takes during a look for runs to take over is not taken from it", async () => {
    const own = await openDatabaseWithRun();
    // The look stands still when it has found the run and has not locked it yet.
    await query(
      own,
      `ALTER TABLE journal_steps RENAME TO all_steps;
       CREATE VIEW journal_steps AS SELECT all_steps.* FROM all_steps, (SELECT pg_advisory_xact_lock_shared(1)) AS waits`,
    );
    await query(own, "UPDATE journal_runs SET holder = NULL");
    const goOn = await keepLocked(own, "SELECT pg_advisory_xact_lock(1)");
    const look = takeOverAs("late");
    const taken = withDatabase(own, (client) => client.query(look.text, look.values));
    const waiting = "SELECT 1 AS waits FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await expect.poll(() => query(own, waiting)).toEqual([{ waits: 1 }]);
    await query(own, "UPDATE journal_runs SET holder = (SELECT id FROM replicas), epoch = epoch + 1");
    await goOn();
    expect((await taken).rows).toEqual([]);
    expect(await query(own, "SELECT epoch FROM journal_runs")).toEqual([{ epoch: 2 }]);
    await query(own, "UPDATE journal_runs SET holder = NULL");
    expect(await query(own, look.text, look.values)).toEqual([expect.objectContaining({ run: "run-1", epoch: 3 })]);
  });

  /** Resolves when a statement on this table waits for a lock. */
  const waitForLock = (own: string, table: string) =>
    expect
      .poll(() =>
        query(
          own,
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1",
          [`%INSERT INTO ${table}%`],
        ),
      )
      .toEqual([{ n: 1 }]);

  async function openClient(own: string): Promise<pg.Client> {
    const client = new pg.Client(own);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test("a replica that comes back while its runs are being taken waits, and learns that they are another one's", async () => {
    const own = await openDatabaseWithRun();
    const gone = "UPDATE journal_runs SET holder = 'gone'";
    await query(own, gone);
    const expired = "INSERT INTO replicas VALUES ('gone', now() - interval '1 second', '{1}')";
    await query(own, expired);
    const [taker, passing] = [await openClient(own), await openClient(own)];
    const look = takeOverAs("late");
    await taker.query("BEGIN");
    expect((await taker.query(look.text, look.values)).rows).toMatchObject([{ epoch: 2 }]);
    const comeBack = withDatabase(own, async (client) => {
      await client.query(renewalText, ["gone", 5_000, "{1}"]);
      return (await client.query(ownedRunsText, ["gone"])).rows;
    });
    await waitForLock(own, "replicas");
    await taker.query("COMMIT");
    expect(await comeBack).toEqual([]);
    // One that is just giving a sign of life is passed over.
    await query(own, gone);
    await query(own, "UPDATE replicas SET alive_until = now() - interval '1 second' WHERE id = 'gone'");
    await passing.query("BEGIN");
    await passing.query(renewalText, ["gone", 5_000, "{1}"]);
    expect(await query(own, look.text, look.values)).toEqual([]);
    await passing.query("ROLLBACK");
    expect(await query(own, look.text, look.values)).toMatchObject([{ epoch: 3 }]);
  });

  test.each([
    ["alone", {}],
    ["with files", { files: [{ hash: "a".repeat(64), bytes: Buffer.from("a") }] }],
  ])(
    "a step that is written again %s while the first attempt is still being stored is stored and counted once",
    async (_, more) => {
      const store = await open();
      const run = await store.journal.begin(newRun("run-1", "anna"));
      const first = step("turn:decide:1");
      const attempt = await openClient(url);
      await attempt.query("BEGIN");
      await attempt.query("INSERT INTO journal_steps (run, name, spent_ms, at, data) VALUES ('run-1', $1, 1, '', $2)", [
        first.name,
        JSON.stringify(first.data),
      ]);
      const adding = run.add({ ...first, ...more, usage: { used: { tokens: 20, cost: 0.5 }, reservations: [] } });
      await waitForLock(url, "journal_steps");
      await attempt.query("COMMIT");
      await adding;
      expect(await query(url, "SELECT count(*)::int AS n FROM journal_steps")).toEqual([{ n: 1 }]);
      expect((await store.of("anna").dailyUsage.read()).used.tokens).toBe(0);
    },
  );

  test("a look for runs to take over reads no header of those that are held, however many there are", async () => {
    const own = await openDatabaseWithRun();
    // Text that cannot be packed stands in blocks of its own, five for each header.
    await query(
      own,
      `INSERT INTO journal_runs (run, conversation, header, state, holder, begun_at, format)
         SELECT 'run-x' || n, 'c', (SELECT string_agg(md5(n || '-' || m), '') FROM generate_series(1, 300) m), 'going', holder, begun_at, format
         FROM journal_runs, generate_series(1, 200) n`,
    );
    await query(own, "ANALYZE");
    const look = takeOverAs("other");
    const countBlocks = async (): Promise<number> => {
      const [row] = await query(own, `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${look.text}`, look.values);
      const [{ Plan: plan }] = JSON.parse(JSON.stringify(row?.["QUERY PLAN"]));
      return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    };
    expect(await countBlocks()).toBeLessThan(200);
    await query(own, "UPDATE journal_runs SET holder = NULL");
    expect(await countBlocks()).toBeGreaterThan(600);
  });

  test("runs of a busy hour are removed with their events some at a time, until none is left", async () => {
    const own = await shared.createDatabase();
    const store = await createPostgresStore(own, { retention: { keepDays: 365, maxSize: 1e12 } });
    onTestFinished(() => store.close());
    await query(
      own,
      `INSERT INTO journal_runs (run, conversation, header, state, begun_at, ended_at)
        SELECT 'run-' || n, 'c', '{}', 'ended', '2026-01-01', '2026-01-01' FROM generate_series(1, 1200) n;
      INSERT INTO journal_events (run, n, data) SELECT run, 0, '{}' FROM journal_runs;
      CREATE TABLE removals (n integer);
      CREATE FUNCTION count_removal() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO removals SELECT count(*) FROM gone; RETURN NULL; END';
      CREATE TRIGGER counts AFTER DELETE ON journal_runs REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION count_removal()`,
    );
    await store.append(finishedRun("conv-1", "?", "Yes."));
    await store.retention.settled();
    expect(await query(own, "SELECT n FROM removals WHERE n > 0")).toEqual([{ n: 500 }, { n: 500 }, { n: 200 }]);
    expect(await query(own, "SELECT count(*)::int AS n FROM journal_events")).toEqual([{ n: 0 }]);
  });

  test("a run that the database gives to another process stops here, and one that nobody drives is let go", async () => {
    const stores = [await open(), await openQuick()] as const;
    const [lost, stray, late] = [
      await stores[1].journal.begin(newRun("run-lost")),
      await stores[1].journal.begin(newRun("run-stray")),
      await stores[1].journal.begin(newRun("run-late")),
    ];
    // What is written in an earlier epoch counts no more, though the run is this process's again.
    await query(url, "UPDATE journal_runs SET epoch = 2 WHERE run = 'run-late'");
    await expect(late.add(step("call:c1"))).rejects.toThrow(LostRunError);
    await query(url, "UPDATE journal_runs SET holder = 'another', epoch = 2 WHERE run = 'run-lost'");
    await expect.poll(() => lost.moved?.aborted).toBe(true);
    // Its row came back as another epoch that this process knows nothing of, as after a claim whose answer was lost.
    await query(url, "UPDATE journal_runs SET epoch = 2 WHERE run = 'run-stray'");
    await expect.poll(() => stray.moved?.aborted).toBe(true);
    const holder = () => query(url, "SELECT holder FROM journal_runs WHERE run = 'run-stray'");
    await expect.poll(holder).toEqual([{ holder: null }]);
    // Whoever gets a run back that others have had meanwhile ends what it still does of it, which says nothing of the run any more.
    const early = await stores[0].journal.begin(newRun("run-back"));
    await query(url, "UPDATE journal_runs SET holder = NULL, epoch = 2 WHERE run = 'run-back'");
    const back = await stores[0].journal.take("run-back");
    expect([early.moved?.aborted, back?.journal.moved?.aborted]).toEqual([true, false]);
    await early.forbid("stopped");
    await back?.journal.add(step("turn:decide:1"));
  });

  test("a run whose end could not be stored is kept while its end is tried again, and let go once that is stored", async () => {
    await clear();
    const connection = openPostgresConnection(url);
    const journal = createPostgresJournal(connection, { listen: () => () => {} });
    onTestFinished(async () => {
      await journal.close();
      await connection.close();
    });
    await journal.begin(newRun("run-1"));
    for (const reason of ["first", "second"])
      await expect(journal.endRun("run-1", () => Promise.reject(new Error(reason)))).rejects.toThrow(reason);
    const count = async () => Number((await query(url, "SELECT max(renewals) AS n FROM replicas"))[0]?.n);
    const readHolder = () => query(url, "SELECT holder FROM journal_runs");
    const before = await count();
    await expect.poll(async () => (await count()) - before).toBeGreaterThan(2);
    expect(await readHolder()).toEqual([{ holder: journal.holder }]);
    // As if another process had taken the end back: nothing but the expectation of it kept the run.
    await journal.endRun("run-1", async () => {});
    await expect.poll(readHolder).toEqual([{ holder: null }]);
  });

  test("a run of which nobody knew that it was recorded goes on nowhere when its process ends", async () => {
    await clear();
    const proxy = await openCutProxy(url);
    const store = await createPostgresStore(proxy.url);
    await store.journal.begin(newRun("run-1"));
    proxy.cutAtCommit();
    await expect(store.journal.begin(newRun("run-2"))).rejects.toMatchObject({ failure: "unreachable" });
    await store.close();
    expect(await query(url, "SELECT run, state FROM journal_runs ORDER BY run")).toEqual([
      { run: "run-1", state: "going" },
      { run: "run-2", state: "unrecorded" },
    ]);
  });

  test("a run of a format is taken by a replica that reads it alone, and is written once all living replicas do", async () => {
    const old = await open();
    const next = await openQuick({ formats: [1, 2] });
    await old.journal.takeOver?.(everyRun);
    const begin = async (id: string) => {
      await (await next.journal.begin(newRun(id))).letGo?.();
      return (await query(url, "SELECT format FROM journal_runs WHERE run = $1", [id]))[0]?.format;
    };
    expect(await begin("run-1")).toBe(1);
    expect((await old.journal.takeOver?.(everyRun))?.map(({ runId }) => runId)).toEqual(["run-1"]);
    await old.close();
    expect(await begin("run-2")).toBe(2);
    const again = await openAgain();
    expect((await again.journal.takeOver?.(everyRun))?.map(({ runId }) => runId)).toEqual(["run-1"]);
    expect(await again.journal.take("run-2")).toBeUndefined();
    expect((await next.journal.takeOver?.(everyRun))?.map(({ runId }) => runId)).toContain("run-2");
    const last = await openQuick({ formats: [1, 2] });
    await last.journal.takeOver?.(everyRun);
    const kept = await last.journal.begin(newRun("run-3"));
    await query(url, "UPDATE journal_runs SET format = 2 WHERE run = 'run-3'");
    expect([await kept.hasReader?.(), await again.journal.countNewer?.()]).toEqual([true, 0]);
    await next.close();
    expect([await kept.hasReader?.(), await again.journal.countNewer?.()]).toEqual([false, 0]);
    await last.close();
    expect(await again.journal.countNewer?.()).toBe(2);
  });

  test(
    "steps wait while the server is away, and are recorded once when it is back; its runs stay with their holder",
    requires(ownPostgres),
    async () => {
      const stores = [await open(), await openQuick()] as const;
      const run = await stores[0].journal.begin(newRun("run-1"));
      const quick = await stores[1].journal.begin(newRun("run-2"));
      await server.kill();
      const adding = Promise.all([run.add(step("call:c1")), quick.add(step("call:c1")), quick.addEvents(0, [told])]);
      await expect(stores[0].journal.begin(newRun("run-3"))).rejects.toMatchObject({ failure: "unreachable" });
      expect(await Promise.race([adding, sleep(700, "waits")])).toBe("waits");
      await server.start();
      await adding;
      await expect.poll(() => stores[1].journal.takeOver?.(everyRun)).toEqual([]);
      expect(await query(url, "SELECT run, name FROM journal_steps ORDER BY run")).toEqual([
        { run: "run-1", name: "call:c1" },
        { run: "run-2", name: "call:c1" },
      ]);
      expect(await query(url, "SELECT DISTINCT epoch FROM journal_runs")).toEqual([{ epoch: 1 }]);
    },
  );

  test("steps and events of many runs are written together", async () => {
    const stores = await openTwo();
    const names = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    const runs = await Promise.all(names.map((name) => stores[0].journal.begin(newRun(name))));
    const before = await countWrites();
    await Promise.all(runs.flatMap((run) => [run.add(step("turn:decide:1")), run.addEvents(0, [told, told])]));
    expect((await countWrites()) - before).toBeLessThan(runs.length);
    expect(await query(url, "SELECT count(*)::int AS n FROM journal_events")).toEqual([{ n: 40 }]);
  });

  /** Counts the transactions that have written something; this look is one, and a replica's signs of life are a few. */
  async function countWrites(): Promise<number> {
    const [row] = await query(url, "SELECT CAST(CAST(pg_current_xact_id() AS text) AS int) AS n");
    return Number(row?.n);
  }
});

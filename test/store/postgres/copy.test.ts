import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { copiedTables } from "../../../src/store/copy/copied-tables.ts";
import { copyStore } from "../../../src/store/copy/copy-store.ts";
import { openPostgresRows } from "../../../src/store/copy/postgres-rows.ts";
import { openSqliteSource, openSqliteTarget } from "../../../src/store/copy/sqlite-rows.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgresSchemaVersion } from "../../../src/store/postgres/schema.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { keepLocked, postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { programEnvironment, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";
import { requires } from "../../runner/requirements.ts";
import { step, told } from "../contract/journal.ts";
import { newRun } from "../journal-runs.ts";
import { finishedRun, page } from "../runs.ts";
import { startProcess } from "../start-process.ts";

/** A store with something in each of its tables, as its process has left it. */
async function fill(file: string): Promise<void> {
  const store = await createSqliteStore(file);
  const anna = store.of("anna");
  const { id, sources } = await anna.create();
  await sources.number([page(`https://${"long".repeat(1500)}.example`)]);
  const image = { hash: "a".repeat(64), bytes: Buffer.alloc(3_000_000, 7) };
  const files = [{ type: "file" as const, file: { hash: image.hash, mediaType: "text/plain", size: 3 }, text: "x" }];
  const turn = { question: "One? 你好 ", answer: "Yes [1].".repeat(2_000), files, status: "partial" as const };
  const more = { marker: "ab12", results: [{ n: 1, text: "long" }], loadedTools: ["a", "b"], pendingPlan: "{}" };
  await anna.append({ ...finishedRun(id, "One?", "Yes."), turn, files: [image], ...more });
  for (let n = 0; n < 150; n++) await store.append(finishedRun("conv-1", `Question ${n}?`, "Yes."));
  await store.branches.begin("conv-1", 3);
  await store.append(finishedRun("conv-1", "Instead?", "Yes."));
  await store.summarise("conv-1", { text: "It began.", turns: 1, isWanted: true, facts: ["a", "b"] });
  await store.append(finishedRun("conv-2", "Gone?", "Yes."));
  await store.discard("conv-2", 3_600_000);
  await store.append(finishedRun("conv-3", "In a line?", "Yes."));
  await store.summarise("conv-3", { text: "A line.", turns: 1, isWanted: true });
  await store.responses?.put({ id: "resp_1", body: "words ".repeat(2_000), conversationId: "conv-1" });
  await store.idempotency.add({ runId: "run-a1", beginning: "run-a" });
  await store.hostTimeouts?.set({ name: "host", version: "1" }, 59.5);
  await store.typedHistory.add(["typed", "\ud800 half"]);
  await anna.dailyUsage.reserve({ id: "t", spend: { tokens: 9, cost: 0.1 }, limits: {}, lastsMs: 60_000 });
  await anna.dailyUsage.settle("s", { tokens: 5, cost: 0.25 });
  const usage = { day: "2026-11-26", model: "fake/a", owner: "anna", runs: 1, tokens: 10, cost: 0.5, unpriced: 0 };
  await store.usageHistory.add([usage]);
  const times = { createdAt: "2026-11-26T00:00:00.000Z", expiresAt: "2126-11-26T00:00:00.000Z" };
  await store.credentials.tokens.add({
    hash: "h",
    name: "ci",
    hint: "duet_abcd",
    scope: "ask",
    tools: ["a*"],
    ...times,
  });
  const person = { issuer: "https://issuer.example", subject: "1", name: "Anna", scopes: ["ask"], idToken: "i" };
  await store.credentials.sessions.add({ hash: "s", ...person, ...times });
  const run = await store.journal.begin({ ...newRun("run-1", "anna"), files: [image] });
  await run.add(step("turn:decide:1", { said: "\0" }));
  await run.addEvents(0, [told]);
  await store.close();
}

/** Tables that a file has only for what comes back. */
const inPostgresAlone = new Set(["run_places", "shared_records"]);

/** All rows of a file, table by table. */
function dump(file: string): Record<string, unknown[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(
      copiedTables.map(({ name, key }) => [
        name,
        database.prepare(`SELECT * FROM ${name} ORDER BY ${key.join(", ")}`).all(),
      ]),
    );
  } finally {
    database.close();
  }
}

/** Starts a process that carries out two runs. */
async function holdRuns(place: string): Promise<{ kill(): Promise<void> }> {
  const process = await startProcess("runs", place, "2");
  process.go();
  await process.lines.next();
  return {
    async kill() {
      const closed = once(process.child, "close");
      process.child.kill("SIGKILL");
      await closed;
    },
  };
}

const inUse =
  /^duet: .* is in use: a running Duet carries out 2 unfinished runs of it\. Stop the servers .* first.*\.\n$/;

describe("a copy of a store", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  test("has everything, goes on in PostgreSQL, and is the same file again when it comes back", async () => {
    const folder = await temporaryFolder();
    const [file, back] = [join(folder, "duet.db"), join(folder, "back.db")];
    await fill(file);
    const url = await server.createDatabase();
    const before = dump(file);
    for (const [name, rows] of Object.entries(before))
      if (name !== "upkeep" && !inPostgresAlone.has(name)) expect([name, rows.length]).not.toEqual([name, 0]);
    const copy = async (from: Parameters<typeof copyStore>[0], to: Parameters<typeof copyStore>[1]) => {
      try {
        return await copyStore(from, to);
      } finally {
        await Promise.all([from.close(), to.close()]);
      }
    };
    const counts = await copy(openSqliteSource(file), await openPostgresRows(url, "write"));
    expect(counts.find(({ table }) => table === "turns")?.rows).toBe(154);
    await copy(await openPostgresRows(url, "read"), openSqliteTarget(back));
    expect(dump(back)).toEqual(before);

    const store = await createPostgresStore(url);
    onTestFinished(() => store.close());
    await store.append(finishedRun("conv-4", "Next?", "Yes."));
    const [newest] = await store.list({ limit: 1, offset: 0 });
    expect([newest?.id, await store.latest()]).toEqual(["conv-4", "conv-4"]);
    const taken = await store.journal.take("run-1");
    expect(taken).toMatchObject({ owner: "anna", steps: [{ data: { said: "\0" } }], events: [told] });
    await taken?.journal.add(step("turn:decide:2"));
    expect(await store.typedHistory.list()).toEqual(["typed", "\ud800 half"]);
    await store.typedHistory.add(["next"]);
    // What only replicas have comes along, too.
    await store.records?.put("pins", "docs", "{}");
    await store.of("anna").runPlaces?.claim({ id: "place", limits: { runs: 1 }, lastsMs: 60_000 });
    await store.close();
    const again = join(folder, "again.db");
    await copy(await openPostgresRows(url, "read"), openSqliteTarget(again));
    expect(dump(again)).toMatchObject({
      run_places: [{ id: "place", caller: "=anna", state: "going" }],
      shared_records: [{ kind: "pins", name: "docs", data: "{}" }],
    });
    // What has something in it is not written over, and nothing of an attempt stays.
    await expect(copy(openSqliteSource(file), await openPostgresRows(url, "write"))).rejects.toThrow(
      "is not empty: its table conversations has 6 rows",
    );
  });

  test("has the columns of both databases", async () => {
    const file = join(await temporaryFolder(), "duet.db");
    await (await createSqliteStore(file)).close();
    const rows = await openPostgresRows(await server.createDatabase(), "read");
    const own = openSqliteSource(file);
    onTestFinished(async () => void (await Promise.all([rows.close(), own.close()])));
    const listed = async (store: typeof rows) => {
      const tables: [string, string[]][] = [];
      for (const table of copiedTables) tables.push([table.name, (await store.listColumns(table)).sort()]);
      return tables;
    };
    const inPostgres = (await listed(rows)).map(([name, columns]) => [
      name,
      columns.filter((each) => !["epoch", "format"].includes(each)),
    ]);
    expect(inPostgres).toEqual(await listed(own));
  });

  test("is not made, and nothing is written, while a process that lives carries out runs of the store", async () => {
    const env = await programEnvironment({ DUET_HOME: await temporaryFolder() });
    const file = join(env.DUET_HOME ?? "", "duet.db");
    const [source, target] = [await server.createDatabase(), await server.createEmptyDatabase()];
    const copy = async (...args: string[]) => runWarmProgram(["store", "copy", ...args], { env });

    const ofDatabase = await holdRuns(source);
    expect(await copy("--from", source)).toMatchObject({ code: 2, stderr: expect.stringMatching(inUse) });
    expect(existsSync(file)).toBe(false);
    await ofDatabase.kill();
    // A replica that lives takes over what another one has left.
    await query(source, "UPDATE journal_runs SET holder = NULL");
    await query(source, "UPDATE replicas SET alive_until = now() + interval '1 hour'");
    expect(await copy("--from", source)).toMatchObject({ code: 2, stderr: expect.stringMatching(inUse) });
    await query(source, "UPDATE replicas SET alive_until = now()");
    expect((await copy("--from", source)).stdout).toMatch(/^copied /);

    // What no process carries out any more can be resumed from the copy.
    const resumed = await createSqliteStore(file);
    expect(await resumed.journal.listInterrupted()).toHaveLength(2);
    await resumed.close();
    rmSync(file);

    const ofFile = await holdRuns(file);
    expect(await copy("--to", target)).toMatchObject({ code: 2, stderr: expect.stringMatching(inUse) });
    expect(await query(target, "SELECT to_regclass('duet_schema') AS it")).toEqual([{ it: null }]);
    await ofFile.kill();
    expect((await copy("--to", target)).stdout).toMatch(/^copied /);
    const store = await createPostgresStore(target);
    onTestFinished(() => store.close());
    expect(await store.journal.listInterrupted()).toHaveLength(2);
  });

  test("is made, looked at and brought back by duet store", async () => {
    const env = await programEnvironment({ DUET_HOME: await temporaryFolder() });
    await fill(join(env.DUET_HOME ?? "", "duet.db"));
    const url = (await server.createEmptyDatabase()).replace("duet@", "duet:secret@");
    const duet = async (...args: string[]) => runWarmProgram(["store", ...args], { env });
    expect((await duet("status", url)).stdout).toContain("no tables yet");
    expect(await query(url, "SELECT to_regclass('duet_schema') AS it")).toEqual([{ it: null }]);
    // Of two that change the tables at once one waits, and says so where that takes long.
    const unlock = await keepLocked(url, "SELECT pg_advisory_xact_lock(4857220631)");
    expect(await duet("migrate", url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("its tables are locked, by a process that updates them"),
    });
    await unlock();
    expect((await duet("migrate", url)).stdout).toBe(`the tables went from version 0 to ${postgresSchemaVersion}\n`);
    expect((await duet("migrate", url)).stdout).toBe(`the tables have version ${postgresSchemaVersion} already\n`);
    const copied = await duet("copy", "--to", url);
    expect(copied.stdout).toMatch(
      /^copied \d+ rows from .*duet\.db to postgres:\/\/duet@127\.0\.0\.1:\d+\/duet_\w+\n$/,
    );
    const status = JSON.parse((await duet("status", url, "--output", "json")).stdout);
    expect(status).toMatchObject({
      version: postgresSchemaVersion,
      conversations: 5,
      turns: 154,
      unended_runs: 1,
      shared_records: 0,
    });
    expect(JSON.parse((await duet("status", "--output", "json")).stdout)).toMatchObject({
      conversations: 5,
      turns: 154,
    });
    const refused = await Promise.all([
      duet("copy", "--from", url),
      duet("copy"),
      duet("copy", "--to", "mysql://root:secret@host/db"),
      duet("status", "postgres://duet:secret@127.0.0.1:9/none"),
    ]);
    expect(refused.map(({ code, stderr }) => [code, stderr.trim().split("\n")[0]])).toEqual([
      [2, expect.stringMatching(/duet\.db is not empty: its table conversations has 5 rows/)],
      [2, expect.stringContaining("takes one of --to and --from")],
      [2, expect.stringContaining('"mysql://root:***@host/db"')],
      [1, expect.stringContaining("postgres://duet@127.0.0.1:9/none cannot be used: the database cannot be reached")],
    ]);
    for (const { stderr, stdout } of refused) expect(stderr + stdout).not.toContain("secret");
    await query(url, "UPDATE journal_runs SET format = 99");
    expect((await duet("status", url)).stdout).toContain("of the unfinished runs 1 can be read by a newer Duet only");
  });
});

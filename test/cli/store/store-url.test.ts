import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";
import { requires } from "../../runner/requirements.ts";

const password = "geheim-12345";
const away = `postgres://duet:${password}@127.0.0.1:9/duet`;

test("an address that is none is one line with what is allowed, and no password is shown anywhere", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name a variable.
  const config = await configFile({ store: { url: "mysql://duet:${DB_PASSWORD}@db/duet" } });
  const wrong = await runWarmProgram(["ask", "1+1", "--config", config], { env: { DB_PASSWORD: password } });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(
    /^duet: .*store\.url: .*allowed: postgres:\/\/user@host:port\/database; in a password, .* as %23\)\n$/,
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name a variable.
  const good = await configFile({ store: { url: "postgres://duet:${DB_PASSWORD}@127.0.0.1:9/duet" } });
  const all = [wrong];
  for (const command of [["config"], ["ask", "1+1"], ["store", "status"], ["conversations"], ["doctor"]])
    all.push(await runWarmProgram([...command, "--config", good], { env: { DB_PASSWORD: password } }));
  for (const { stdout, stderr } of all) expect(stdout + stderr).not.toContain(password);
  expect(all[1]?.stdout).toContain("postgres://duet:…@127.0.0.1:9/duet");
});

test("a command ends with one line where the database cannot be reached, and keeps nothing in a file", async () => {
  const home = await temporaryFolder();
  for (const command of [["ask", "1+1"], ["conversations"], ["store", "status"], ["tokens"]]) {
    const env = { DUET_STORE_URL: away, DUET_HOME: home };
    const { code, stdout, stderr } = await runWarmProgram(command, { env });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      "duet: the conversation store postgres://duet@127.0.0.1:9/duet cannot be used: the database cannot be reached. Check that PostgreSQL is running, and its address, user and password.\n",
    ]);
  }
  expect(existsSync(join(home, "duet.db"))).toBe(false);
});

describe("a database that the settings name", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  test("keeps the conversations of every command, of any number of machines", async () => {
    const env = { DUET_STORE_URL: await server.createDatabase() };
    const asked = await runWarmProgram(["ask", "1+1"], { env });
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining("= 2")]);
    const home = await temporaryFolder();
    const listed = await runWarmProgram(["conversations", "--output", "json"], { env: { ...env, DUET_HOME: home } });
    expect(JSON.parse(listed.stdout)).toMatchObject({ conversations: [{ title: "1+1" }] });
    const status = await runWarmProgram(["store", "status"], { env: { ...env, DUET_HOME: home } });
    expect(status.stdout).toContain("1 conversation, 1 turn, 0 unfinished runs");
    expect(existsSync(join(home, "duet.db"))).toBe(false);
    await query(env.DUET_STORE_URL, "INSERT INTO duet_schema (version, breaking) VALUES (999, true)");
    const newer = await runWarmProgram(["ask", "1+1"], { env });
    expect([newer.code, newer.stderr]).toEqual([2, expect.stringContaining("has version 999, from a newer Duet")]);
  });
});

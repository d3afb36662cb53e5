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
    /^duet: .*store\.url: .*allowed: postgres:\/\/user@host:port\/database, with one host; in a password, .* as %23\)\n$/,
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

test("a parameter of the address that would be passed over or misread is one line with what is allowed", async () => {
  const show = async (parameters: string) => runWarmProgram(["store", "status", `${away}?${parameters}`]);
  const modes = "disable, prefer, require, verify-ca, verify-full, no-verify";
  for (const [parameters, told] of [
    ["sslmod=require", /: unknown parameter sslmod \(allowed: sslmode, sslrootcert, .*\)\n$/],
    ["sslmode=requir", new RegExp(`: sslmode is "requir" \\(allowed: ${modes}\\)\n$`)],
    ["ssl=false", /: ssl is "false" \(allowed: true, 1, 0, no-verify\)\n$/],
    ["sslmode=verify-full&sslrootcert=/none/ca.pem", / \/none\/ca\.pem of sslrootcert .*: there is no such file\n$/],
    ["uselibpqcompat=true&sslmode=verify-ca", /: sslmode=verify-ca needs sslrootcert\n$/],
    ["uselibpqcompat=true&sslmode=no-verify", /: sslmode=no-verify cannot be combined with uselibpqcompat=true; .*\n$/],
    ["channel_binding=require&sslmode=disable", /: channel_binding=require needs sslmode\n$/],
    ["host=h1,h2", /: only one host is allowed: .*\n$/],
    ["channel_binding=require", /: channel_binding=require needs sslmode\n$/],
    ["connect_timeout=abc", /: connect_timeout has to be a number of seconds\n$/],
    ["sslmode=disable&sslmode=require", /: sslmode is given more than once\n$/],
    ["sslnegotiation=direct&sslmode=disable", /: sslnegotiation=direct cannot be combined with sslmode=disable\n$/],
    [`1&${password}@host/db`, /: the address of the database is "postgres:\/\/duet:\*\*\*@127\.0\.0\.1:9\/duet", not /],
    [`${password}@host/db`, /: the address of the database is "postgres:\/\/duet:\*\*\*@127\.0\.0\.1:9\/duet", not /],
  ] as const) {
    const { code, stderr } = await show(parameters);
    expect([parameters, code, stderr]).toEqual([parameters, 2, expect.stringMatching(told)]);
    expect(stderr).toMatch(/^duet: the address of the database.*\n$/);
    expect(stderr).not.toContain(password);
  }
  const understood =
    "sslmode=require&channel_binding=require&connect_timeout=10&options=-c%20work_mem%3D1MB&application_name=me%40here&uselibpqcompat=true";
  expect(await show(understood)).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") });
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

  test("serves nobody where its role may not write, and says what is missing", async () => {
    const url = await server.createDatabase();
    const [empty, bare] = [await server.createEmptyDatabase(), await server.createEmptyDatabase()];
    await query(
      url,
      "DROP ROLE IF EXISTS reader; DROP ROLE IF EXISTS keeper; CREATE ROLE reader LOGIN; CREATE ROLE keeper LOGIN",
    );
    await query(url, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader, keeper");
    await query(
      url,
      "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO keeper; REVOKE DELETE ON turns FROM keeper",
    );
    await query(bare, "DROP SCHEMA public");
    const others = await query(url, "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'");
    for (const [role, address, said] of [
      [
        "reader",
        url,
        `lacks rights: INSERT, UPDATE, DELETE on api_tokens and ${Number(others[0]?.n) - 2} others; USAGE on asked. Let`,
      ],
      ["keeper", url, "lacks rights: USAGE on asked; DELETE on turns. Let the role own"],
      ["reader", empty, "lacks rights: CREATE on public. Let the role own"],
      ["reader", bare, 'has no schema of its search_path: "$user", public. Create one of them'],
    ] as const) {
      const env = { DUET_STORE_URL: address.replace("//duet@", `//${role}@`) };
      const { code, stderr } = await runWarmProgram(["serve", "--http", "0"], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    const status = await runWarmProgram(["store", "status", url.replace("//duet@", "//reader@")]);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining("0 conversations") });
  });

  test("says of a database that cannot be used what can be done about it", async () => {
    const [foreign, full] = [await server.createEmptyDatabase(), await server.createDatabase()];
    await query(foreign, "CREATE TABLE turns (n integer)");
    await query(
      full,
      "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full' USING ERRCODE = '53100'; END $$",
    );
    await query(full, "CREATE TRIGGER fill BEFORE INSERT ON turns EXECUTE FUNCTION fill()");
    const home = await temporaryFolder();
    await runWarmProgram(["ask", "1+1"], { env: { DUET_HOME: home } });
    const used = await server.createDatabase();
    await runWarmProgram(["ask", "1+1"], { env: { DUET_STORE_URL: used } });
    const store = async (...args: string[]) => runWarmProgram(["store", ...args], { env: { DUET_HOME: home } });
    for (const [args, code, told] of [
      [
        ["status", `${full}?sslmode=require`],
        1,
        "the database's server does not support TLS. Turn it on there (ssl = on), or leave sslmode out of the address.",
      ],
      [
        ["migrate", foreign],
        2,
        "already has a table or index turns that is not Duet's. Give Duet a database of its own.",
      ],
      [
        ["copy", "--to", foreign],
        2,
        "already has a table or index turns that is not Duet's. Give Duet a database of its own.",
      ],
      [["copy", "--to", used], 2, "has 1 row. Copy into an empty database."],
      [["copy", "--from", used], 2, "has 1 row. Move this file away first."],
      [
        ["copy", "--to", full],
        1,
        "the disk is full. Check the server log of PostgreSQL, this user's permissions and the free space.",
      ],
      [
        ["bogus"],
        2,
        'store: "bogus" is not allowed (allowed: status, migrate, copy, or postgres://user@host:port/database)',
      ],
    ] as const) {
      const { code: ended, stderr } = await store(...args);
      expect([args, ended, stderr]).toEqual([args, code, expect.stringMatching(/^duet: .*\n$/)]);
      expect(stderr).toContain(`${told}\n`);
    }
    const { stdout } = await runWarmProgram(["doctor"], { env: { DUET_STORE_URL: away } });
    expect(stdout).toContain("cannot be used: the database cannot be reached. Check that PostgreSQL is running");
  });
});

import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CredentialStore, createCredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { type Credentials, noCredentials } from "../../../src/client/oauth/credentials.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { requires, unix } from "../../runner/requirements.ts";

const owner = { name: "docs", url: "https://docs.example/mcp" };
const kept: Credentials = {
  issuer: "https://as.example",
  issuers: { "https://as.example": { client: { id: "me" }, tokens: { access: "one", refresh: "two", expiresAt: 5 } } },
};
const { signal } = new AbortController();

function save(store: CredentialStore, credentials: Credentials): Promise<void> {
  return store.exclusively(owner, signal, (held) => held.save(credentials));
}

describe.each(["on disk", "in memory"])("credentials %s", (place) => {
  const open = async () => createCredentialStore(place === "on disk" ? await temporaryFolder() : undefined);

  test("are given to the server whose they are, and under another URL to nobody", async () => {
    const store = await open();
    expect(await store.read(owner)).toEqual(noCredentials);
    await save(store, kept);
    expect(await store.read(owner)).toMatchObject(kept);
    expect(await store.read({ ...owner, url: "https://evil.example/mcp" })).toEqual(noCredentials);
    expect(await store.read({ ...owner, name: "other" })).toEqual(noCredentials);
  });

  test("are forgotten", async () => {
    const store = await open();
    expect(await store.forget("docs")).toBe(false);
    await save(store, kept);
    expect(await store.forget("docs")).toBe(true);
    expect(await store.read(owner)).toEqual(noCredentials);
  });

  test("are changed by one at a time, each seeing what the one before has left", async () => {
    const store = await open();
    const add = (scope: string) =>
      store.exclusively(owner, signal, async ({ credentials, save: keep }) => {
        await new Promise((resolve) => setImmediate(resolve));
        await keep({ ...credentials, challenge: { scope: `${credentials.challenge?.scope ?? ""}${scope}` } });
      });
    await Promise.all([..."abcdef"].map(add));
    expect((await store.read(owner)).challenge?.scope).toBe("abcdef");
  });
});

test("only the user can read the folder and the file, and no draft or lock is left", async () => {
  const home = await temporaryFolder();
  const folder = join(home, "credentials");
  await mkdir(folder, { mode: 0o755 });
  const store = createCredentialStore(home);
  await save(store, kept);
  const [name = "", ...rest] = await readdir(folder);
  expect(rest).toEqual([]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  await chmod(join(folder, name), 0o644);
  await store.read(owner);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test("a damaged file is no file, and is replaced", async () => {
  const home = await temporaryFolder();
  const store = createCredentialStore(home);
  await save(store, kept);
  const [name = ""] = await readdir(join(home, "credentials"));
  await writeFile(join(home, "credentials", name), '{"server":"docs","url');
  expect(await store.read(owner)).toEqual(noCredentials);
  await save(store, kept);
  expect(JSON.parse(await readFile(join(home, "credentials", name), "utf8"))).toMatchObject({ server: "docs" });
});

test("a pipe is no file, as a lock neither, and is not waited for", requires(unix), async () => {
  const home = await temporaryFolder();
  const store = createCredentialStore(home);
  await save(store, kept);
  const [name = ""] = await readdir(join(home, "credentials"));
  const file = join(home, "credentials", name);
  await rm(file);
  execFileSync("mkfifo", [file, `${file}.lock`]);
  await utimes(`${file}.lock`, 0, 0);
  expect(await store.read(owner)).toEqual(noCredentials);
  await save(store, kept);
  expect(await store.read(owner)).toMatchObject(kept);
});

test("a file of more than 1 MB is no file", async () => {
  const home = await temporaryFolder();
  const store = createCredentialStore(home);
  await save(store, kept);
  const [name = ""] = await readdir(join(home, "credentials"));
  const file = join(home, "credentials", name);
  await writeFile(file, `${await readFile(file, "utf8")}${" ".repeat(1_000_000)}`);
  expect(await store.read(owner)).toEqual(noCredentials);
});

test.each(["../../etc/passwd", "a/b", "con", "名字", "x".repeat(300)])(
  "a server named %s has a file of its own",
  async (name) => {
    const home = await temporaryFolder();
    const store = createCredentialStore(home);
    await store.exclusively({ ...owner, name }, signal, (held) => held.save(kept));
    expect(await store.read({ ...owner, name })).toMatchObject(kept);
    expect(await readdir(join(home, "credentials"))).toHaveLength(1);
  },
);

test("two stores on one folder, as two processes have them, take turns", async () => {
  const home = await temporaryFolder();
  const stores = [createCredentialStore(home), createCredentialStore(home)];
  let inside = 0;
  let most = 0;
  const work = (store: CredentialStore) =>
    store.exclusively(owner, signal, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
    });
  await Promise.all([...stores, ...stores, ...stores].map(work));
  expect(most).toBe(1);
});

test("the lock of a process that is gone holds nobody up", async () => {
  const home = await temporaryFolder();
  const store = createCredentialStore(home);
  await save(store, kept);
  const [name = ""] = await readdir(join(home, "credentials"));
  // No process has a number as high.
  await writeFile(join(home, "credentials", `${name}.lock`), "99999999");
  await save(store, { ...kept, challenge: {} });
  expect((await store.read(owner)).challenge).toEqual({});
});

test("waiting for a lock ends with the signal", async () => {
  const home = await temporaryFolder();
  const [one, other] = [createCredentialStore(home), createCredentialStore(home)];
  const controller = new AbortController();
  await one.exclusively(owner, signal, async () => {
    const waiting = other.exclusively(owner, controller.signal, async () => {});
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});

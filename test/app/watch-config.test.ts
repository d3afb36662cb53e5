import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchConfig } from "../../src/app/watch-config.ts";
import { runTrust } from "../../src/cli/trust/trust-command.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Flags } from "../../src/config/settings/settings.ts";
import { workplace } from "../config/workplace.ts";
import { patienceMs } from "../runner/patience.ts";

interface Watched {
  directory: string;
  file: string;
  /** The names of the servers, once for each time they were taken. */
  taken: string[][];
  told: string[];
  stop(): void;
}

const says = (servers: readonly string[], more: object = {}): string =>
  JSON.stringify({ ...more, mcpServers: Object.fromEntries(servers.map((name) => [name, { command: "x" }])) });

interface Options {
  files?: Record<string, string>;
  flags?: Flags;
  /** Milliseconds; the system tells of changes within the test's time when absent. */
  pollMs?: number;
  onServers?: () => Promise<void>;
}

/** A directory with a configuration that is watched until the test ends. */
async function watched({ files = {}, flags = {}, pollMs = 60_000, onServers }: Options = {}): Promise<Watched> {
  const directory = workplace({ "duet.config.json": says(["first"]), ...files });
  const environment = { HOME: directory };
  const [taken, told]: [string[][], string[]] = [[], []];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  watchConfig({
    config: await loadConfig(flags, environment, directory),
    flags,
    environment,
    directory,
    pollMs,
    restMs: 100,
    signal: over.signal,
    warn: (line) => told.push(line.en),
    onServers: async (servers) => {
      taken.push(servers.map(({ name }) => name));
      await onServers?.();
    },
  });
  return { directory, file: join(directory, "duet.config.json"), taken, told, stop: () => over.abort() };
}

const soon = { timeout: 60_000, interval: 20 };

/** Whatever was written before has been read once this, written last, is taken. */
async function settle({ file, taken }: Watched): Promise<void> {
  writeFileSync(file, says(["last"]));
  await vi.waitFor(() => expect(taken.at(-1)).toEqual(["last"]), soon);
}

test("a file that is written anew has its servers taken", async () => {
  const it = await watched();
  writeFileSync(it.file, says(["first", "second"]));
  await vi.waitFor(() => expect(it.taken).toEqual([["first", "second"]]), soon);
  expect(it.told).toEqual([]);
});

test("an editor that puts a new file in the old one's place is followed, again and again", async () => {
  const it = await watched();
  for (const name of ["second", "third"]) {
    writeFileSync(`${it.file}.new`, says([name]));
    renameSync(`${it.file}.new`, it.file);
    await vi.waitFor(() => expect(it.taken.at(-1)).toEqual([name]), soon);
  }
  expect(it.taken).toEqual([["second"], ["third"]]);
});

test("a file that is emptied and then written is never read half", async () => {
  const it = await watched();
  writeFileSync(it.file, "");
  for (const character of says(["second"])) appendFileSync(it.file, character);
  await vi.waitFor(() => expect(it.taken).toEqual([["second"]]), soon);
  expect(it.told).toEqual([]);
});

test("twenty writes in a burst are read once", async () => {
  const it = await watched();
  for (let round = 1; round <= 20; round++) writeFileSync(it.file, says([`round-${round}`]));
  await vi.waitFor(() => expect(it.taken).toEqual([["round-20"]]), soon);
  await settle(it);
  expect(it.taken).toHaveLength(2);
});

test("a file that goes leaves its servers in force and is told; when it is back it is read", async () => {
  const it = await watched();
  rmSync(it.file);
  await vi.waitFor(() => expect(it.told).toHaveLength(1), soon);
  expect(it.told[0]).toBe(`${it.file}: the file no longer exists; the configuration is unchanged`);
  expect(it.taken).toEqual([]);
  writeFileSync(it.file, says(["back"]));
  await vi.waitFor(() => expect(it.taken).toEqual([["back"]]), soon);
});

test("one that is named and goes is told too", async () => {
  const it = await watched({ flags: { config: "duet.config.json" } });
  rmSync(it.file);
  await vi.waitFor(() => expect(it.told).toHaveLength(1), soon);
  expect(it.told[0]).toBe("the previous configuration stays in effect: duet.config.json: there is no such file");
});

test("a wrong one is told in a line and leaves the old one in force", async () => {
  const it = await watched();
  writeFileSync(it.file, '{ "mcpServers": { "second": { "comand": "x" } } }');
  await vi.waitFor(() => expect(it.told).toHaveLength(1), soon);
  expect(it.told[0]).toMatch(
    /^the previous configuration stays in effect: duet\.config\.json: mcpServers\.second\.comand/,
  );
  expect(it.taken).toEqual([]);
  await settle(it);
});

test("what is no server takes effect after a restart, and is told", async () => {
  const it = await watched();
  writeFileSync(it.file, says(["first"], { agent: { maxIterations: 2 } }));
  await vi.waitFor(() => expect(it.told).toHaveLength(1), soon);
  expect(it.told[0]).toContain("other settings after a restart");
  expect(it.taken).toEqual([]);
});

test("a change of words and of nothing else does nothing", async () => {
  const it = await watched();
  writeFileSync(it.file, `// a comment\n${says(["first"])}\n`);
  // More than it takes to read it: the next one is read in its own turn.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await settle(it);
  expect(it).toMatchObject({ taken: [["last"]], told: [] });
});

test("a variable of the .env beside it that a server is given counts", async () => {
  const args = (name: string) => JSON.stringify({ mcpServers: { a: { command: "x", args: [`\${${name}:-none}`] } } });
  const it = await watched({ files: { "duet.config.json": args("LEVEL") } });
  writeFileSync(join(it.directory, ".env"), "LEVEL=high");
  await vi.waitFor(() => expect(it.taken).toEqual([["a"]]), soon);
});

test("a file that appears where there was none, in a folder that was not there, is found by looking", async () => {
  const it = await watched({ files: { "duet.config.json": "{}" }, pollMs: 100 });
  rmSync(it.file);
  await vi.waitFor(() => expect(it.told).toHaveLength(1), soon);
  const users = join(it.directory, ".config/duet/config.json");
  mkdirSync(dirname(users), { recursive: true });
  writeFileSync(users, says(["mine"]));
  await vi.waitFor(() => expect(it.taken).toEqual([["mine"]]), soon);
});

test("servers that cannot be taken are told, and the next ones are taken", async () => {
  let fails = true;
  const it = await watched({
    onServers: async () => {
      if (fails) throw new Error("no more processes");
    },
  });
  writeFileSync(it.file, says(["second"]));
  await vi.waitFor(() => expect(it.told.join()).toContain("no more processes"), soon);
  fails = false;
  await settle(it);
});

test("in a git work tree new content is taken only once it was trusted", async () => {
  const directory = workplace({ ".git/HEAD": "", "duet.config.json": says(["first"]) });
  const environment = { HOME: directory };
  const trust = () => runTrust({ flags: {}, output: "text", yes: true, write: () => {}, environment, directory });
  await trust();
  const [taken, told]: [string[][], string[]] = [[], []];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  watchConfig({
    config: await loadConfig({}, environment, directory),
    ...{ flags: {}, environment, directory, restMs: 100, pollMs: 100, signal: over.signal },
    warn: (line) => told.push(line.en),
    onServers: async (servers) => void taken.push(servers.map(({ name }) => name)),
  });
  writeFileSync(join(directory, "duet.config.json"), says(["evil"]));
  await vi.waitFor(() => expect(told.join()).toMatch(/duet\.config\.json \(1 server\): not used/), soon);
  expect(taken).toEqual([]);
  await trust();
  await vi.waitFor(() => expect(taken).toEqual([["evil"]]), soon);
});

test("ends with its signal", async () => {
  const it = await watched({ pollMs: 50 });
  it.stop();
  writeFileSync(it.file, says(["second"]));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(it).toMatchObject({ taken: [], told: [] });
});

test("keeps no process alive", () => {
  const directory = workplace({ "duet.config.json": "{}" });
  const at = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    import { watchConfig } from ${at("app/watch-config.ts")};
    import { loadConfig } from ${at("config/load-config.ts")};
    const place = { environment: { HOME: ${JSON.stringify(directory)} }, directory: ${JSON.stringify(directory)} };
    const config = await loadConfig({}, place.environment, place.directory);
    const never = new AbortController().signal;
    watchConfig({ config, flags: {}, ...place, onServers: async () => {}, warn: () => {}, signal: never });
  `;
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: patienceMs, stdio: "pipe" });
});

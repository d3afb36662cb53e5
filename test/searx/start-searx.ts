import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { type Engine, searxSettings } from "./settings.ts";

export interface Searx {
  /** What goes into SEARXNG_URL. */
  url: string;
  /** The queries that it was asked, in order. */
  queries(): string[];
  close(): Promise<void>;
}

export interface SearxDocument {
  title: string;
  url: string;
  content: string;
}

const documentList = z.array(z.object({ title: z.string(), url: z.string(), content: z.string() }));

/** What the index holds: `documents.json` beside this file. */
export async function readDocuments(): Promise<SearxDocument[]> {
  return documentList.parse(JSON.parse(await readFile(join(import.meta.dirname, "documents.json"), "utf8")));
}

/**
 * Starts searx over a full-text index of the documents, in a folder of its own. It ends with `close`, and by itself when this
 * process does. Throws when it does not answer within 30 seconds.
 */
export async function startSearx(python: string, engines: readonly Engine[] = ["index"]): Promise<Searx> {
  const folder = await mkdtemp(join(tmpdir(), "duet-searx-"));
  const [database, settings] = [join(folder, "index.db"), join(folder, "settings.yml")];
  buildIndex(database, await readDocuments());
  await writeFile(settings, searxSettings(database, engines), { mode: 0o600 });
  const child = spawn(python, ["-I", join(import.meta.dirname, "launch.py")], {
    cwd: folder,
    // A proxy of the environment must not stand between searx and this machine.
    env: { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", NO_PROXY: "*", SEARX_SETTINGS_PATH: settings },
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const close = async () => {
    killGroup(child);
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const queries: string[] = [];
  try {
    const url = await addressOf(child, (query) => queries.push(query));
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(30_000) }).then((answer) => answer.text());
    return { url, queries: () => [...queries], close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function buildIndex(file: string, documents: readonly SearxDocument[]): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE VIRTUAL TABLE documents USING fts5(url UNINDEXED, title, content, tokenize = 'trigram')");
  const insert = database.prepare("INSERT INTO documents (url, title, content) VALUES (?, ?, ?)");
  for (const { url, title, content } of documents) insert.run(url, title, content);
  database.close();
}

/** Reads its log: the address at which it listens, then a line for each request. */
function addressOf(child: ChildProcess, asked: (query: string) => void): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`searx ${why}:\n${said.slice(-20).join("\n")}`));
    const limit = setTimeout(() => fail("did not start within 30 seconds"), 30_000);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => {
      clearTimeout(limit);
      fail("ended");
    });
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      const address = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address !== undefined) {
        clearTimeout(limit);
        resolve(address);
      }
      const path = /"GET (\/search\?\S*) HTTP/.exec(line)?.[1];
      if (path !== undefined) asked(new URL(path, "http://searx").searchParams.get("q") ?? "");
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

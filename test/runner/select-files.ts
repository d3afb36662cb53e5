import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** What a test, or a helper that it imports, contains where it starts a process, opens a server or drives a browser. */
const starters =
  /"(?:node:(?:child_process|cluster|dgram|http|https|http2|net|tls|worker_threads)|playwright-core|esbuild|@hono\/node-server|[./]*src\/(?:server\/http\/serve-duet|tools\/workers\/heavy-work)\.ts)"|process\.execPath|\bnpmServer\b|["'`/]dist\//;

interface ReadFile {
  readonly starts: boolean;
  /** Other files of `test/`. */
  readonly imports: readonly string[];
}

/** The test files that start no process, no server and no browser; a new file finds its place by what it imports. */
export function selectQuickFiles(): string[] {
  const files = new Map(globSync("test/**/*.{ts,mjs}").map((file) => [file, readTestFile(file)]));
  return [...files.keys()]
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => [...filesBehind(file, files)].every((each) => files.get(each)?.starts !== true));
}

function readTestFile(file: string): ReadFile {
  const text = readFileSync(file, "utf8").replaceAll(/^import type [^;]*;$/gm, "");
  const paths = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  const imports = [...paths].map(([, path = ""]) => posix.join(posix.dirname(file), path));
  return { starts: starters.test(text), imports };
}

/** The file and all files of `test/` that it imports, also by way of others. */
function filesBehind(file: string, files: ReadonlyMap<string, ReadFile>): Set<string> {
  const found = new Set([file]);
  for (const each of found) for (const imported of files.get(each)?.imports ?? []) found.add(imported);
  return found;
}

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";

const config = "test/runner/example/vitest.config.ts";

/** Runs a file of `test/runner/example` as `npx vitest run` does, with a shell's words behind it; gives all that it wrote. */
export function runExample(name: string, env: Record<string, string> = {}, words: readonly string[] = []) {
  const args = [resolve("node_modules/vitest/vitest.mjs"), "run", "--config", config, name, ...words];
  return new Promise<{ failed: boolean; output: string }>((done) => {
    execFile(process.execPath, args, { env: { PATH: process.env.PATH, CI: "true", ...env } }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stripVTControlCharacters(stdout + stderr) }),
    );
  });
}

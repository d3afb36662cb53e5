import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Flags } from "../../src/config/settings/settings.ts";
import { DuetError } from "../../src/kit/errors.ts";

/** A directory with these files, for the length of the test. */
export function workplace(files: Record<string, string> = {}): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "duet-config-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

export interface Said {
  /** What `duet.config.json` says. */
  file?: unknown;
  environment?: Record<string, string>;
  flags?: Flags;
}

/** The configuration that these sources give; the user's home is the same empty directory. */
export function load({ file, environment, flags = {} }: Said): Promise<Config> {
  const directory = workplace(file === undefined ? {} : { "duet.config.json": JSON.stringify(file) });
  return loadConfig(flags, { HOME: directory, ...environment }, directory);
}

/** The line with which these sources are refused; fails when they are not, or not as a `config` error. */
export async function refusal(said: Said): Promise<string> {
  return lineOf(load(said));
}

export async function lineOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("it was accepted"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DuetError) || error.code !== "config") throw error;
  if (/\n/.test(error.text.en + error.text.zh)) throw new Error(`more than one line: ${error.text.en}`);
  return error.text.en;
}

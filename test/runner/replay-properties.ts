// Loaded before each test file: a property that fails says with which command it fails again.
import { relative } from "node:path";
import fc, { type RunDetails } from "fast-check";
import { expect } from "vitest";

/** Where a property stands. */
export interface PropertyPlace {
  readonly file: string;
  /** The titles of its groups and its own. */
  readonly title: string;
}

/** The seed and the path that the environment asks for: `DUET_SEED=… DUET_PATH=…`. */
export function toReplay({ DUET_SEED, DUET_PATH }: NodeJS.ProcessEnv): { seed?: number; path?: string } {
  if (DUET_SEED === undefined) return {};
  if (!/^-?\d+$/.test(DUET_SEED)) throw new Error(`DUET_SEED: ${DUET_SEED} is not a whole number`);
  return { seed: Number(DUET_SEED), ...(DUET_PATH === undefined ? {} : { path: DUET_PATH }) };
}

/** Throws what fast-check itself would throw, with the command that replays it as the last line of the message. */
export function reportProperty<T>(details: RunDetails<T>, place: PropertyPlace): void {
  if (!details.failed) return;
  const report = fc.defaultReportMessage(details);
  const cause = details.errorInstance ?? undefined;
  throw new Error(`${report}\n\nTo replay it:\n${toCommand(details, place)}`, { cause });
}

function toCommand<T>({ seed, counterexamplePath }: RunDetails<T>, { file, title }: PropertyPlace): string {
  const path = counterexamplePath === null ? "" : `DUET_PATH=${quote(counterexamplePath)} `;
  const pattern = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return `DUET_SEED=${seed} ${path}npx vitest run ${quote(file)} -t ${quote(`^${pattern}$`)}`;
}

/** In single quotes where a shell would see more in it than a word. */
function quote(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

fc.configureGlobal({
  ...toReplay(process.env),
  reporter(details) {
    const { testPath = "", currentTestName = "" } = expect.getState();
    reportProperty(details, { file: relative(process.cwd(), testPath), title: currentTestName });
  },
});

import { readModelFlag } from "../models/model-text.ts";
import { type Flags, settingRows } from "../setting-rows.ts";
import type { Assignment } from "./source.ts";

/**
 * Reads the settings of the flags. `denied` holds the tools that the file denies: `--no-tools` adds to them, and no flag removes
 * one.
 */
export async function readFlags(
  flags: Flags,
  denied: readonly string[],
  secrets: readonly string[],
): Promise<Assignment[]> {
  const assignments = settingRows.map(async ({ path, kind, flag, addsToFile }): Promise<Assignment[]> => {
    const given = flag && flags[flag.field];
    if (given === undefined) return [];
    const name = given === false ? `--no-${flag?.name}` : `--${flag?.name}`;
    const value =
      kind === "model"
        ? await readModelFlag(String(given), name, secrets)
        : addsToFile && Array.isArray(given)
          ? [...denied, ...given]
          : given;
    const written = kind === "model" ? String(given) : String(value);
    return [{ path, value, written, origin: { from: "flag", name } }];
  });
  return (await Promise.all(assignments)).flat();
}

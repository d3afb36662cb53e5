import { existsSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "../../app/conversations/store-settings.ts";
import { findConfigFiles, findTrustedFiles, getFallbackLocale, getProgramPaths } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import { listRecommendations, writeUsersStarterFile } from "../../config/starter-file.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { say, type Text } from "../../kit/locale.ts";

/** Says from where the program was started. */
export type StartPlace = Pick<ReturnType<typeof getProgramPaths>, "environment" | "directory">;

/**
 * Returns the user's configuration file where this is the very first start: no configuration file and no conversation exists, and
 * `--config` names no file.
 */
export async function findFirstConfig(
  flags: Flags,
  { environment, directory }: StartPlace = getProgramPaths(),
): Promise<string | undefined> {
  const { home } = findTrustedFiles(flags, environment, directory);
  if (flags.config !== undefined || existsSync(join(home, storeFile))) return undefined;
  const { file, searched } = await findConfigFiles(flags, environment, directory);
  return file === undefined ? searched.at(-1) : undefined;
}

/**
 * Writes the user's configuration file at the very first start in a terminal where nobody is asked, because the default limits are
 * soon used up. Returns the line that says so. A home that cannot be written needs no configuration file either: the defaults apply.
 */
export async function writeFirstConfig(
  flags: Flags,
  place: StartPlace = getProgramPaths(),
): Promise<string | undefined> {
  const users = await findFirstConfig(flags, place);
  if (users === undefined) return undefined;
  const locale = getFallbackLocale(flags, place.environment);
  const write = async (): Promise<string> => {
    await writeUsersStarterFile(users, locale);
    return say(locale, describeWritten(users));
  };
  return ignoreRejection(write(), "the defaults apply where no file can be written");
}

/** Says what was written, with the recommended values in it. */
export function describeWritten(file: string): Text {
  const limits = listRecommendations();
  return {
    zh: `已写入 ${file}，其中有建议的取值（${limits.join("、")}）和原因。`,
    en: `Wrote ${file} with recommended values (${limits.join(", ")}) and the reasons.`,
  };
}

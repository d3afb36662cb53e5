import { existsSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "../app/conversations/open-store.ts";
import { findConfigFiles, findTrustedFiles, getFallbackLocale, getProgramPaths } from "../config/load-config.ts";
import type { Flags } from "../config/settings/settings.ts";
import { listRecommendations, writeUsersStarterFile } from "../config/starter-file.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { say } from "../kit/locale.ts";

/**
 * Writes the user's configuration file at the very first start in a terminal, because the default limits are soon used up. Returns
 * the line that says so. Writes nothing where a configuration file or a conversation exists, or `--config` names a file. A home
 * that cannot be written needs no configuration file either: the defaults apply.
 */
export async function writeFirstConfig(
  flags: Flags,
  { environment, directory }: Pick<ReturnType<typeof getProgramPaths>, "environment" | "directory"> = getProgramPaths(),
): Promise<string | undefined> {
  const { home } = findTrustedFiles(flags, environment, directory);
  if (flags.config !== undefined || existsSync(join(home, storeFile))) return undefined;
  const { file, searched } = await findConfigFiles(flags, environment, directory);
  const users = searched.at(-1);
  if (file !== undefined || users === undefined) return undefined;
  const locale = getFallbackLocale(flags, environment);
  const write = async (): Promise<string> => {
    await writeUsersStarterFile(users, locale);
    const limits = listRecommendations();
    return say(locale, {
      zh: `已写入 ${users}，其中有建议的取值（${limits.join("、")}）和原因。`,
      en: `Wrote ${users} with recommended values (${limits.join(", ")}) and the reasons.`,
    });
  };
  return ignoreRejection(write(), "the defaults apply where no file can be written");
}

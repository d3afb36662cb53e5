import { existsSync } from "node:fs";
import { join } from "node:path";
import { storeFile } from "../../app/conversations/open-store.ts";
import { findConfigFiles, findTrustedFiles, getFallbackLocale } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import { listRecommendations, writeUsersStarterFile } from "../../config/starter-file.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { say } from "../../kit/locale.ts";

/**
 * Writes the user's configuration file at the very first start, because the default limits are soon used up; returns the line
 * that says so. Writes nothing where a configuration file or a conversation exists, or `--config` names a file. A home that
 * cannot be written needs no configuration file either: the defaults apply.
 */
export async function writeFirstConfig(flags: Flags): Promise<string | undefined> {
  if (flags.config !== undefined) return undefined;
  const { file, searched } = await findConfigFiles(flags);
  const users = searched.at(-1);
  const { home } = findTrustedFiles(flags);
  if (file !== undefined || users === undefined || existsSync(join(home, storeFile))) return undefined;
  const locale = getFallbackLocale(flags);
  const write = async (): Promise<string> => {
    await writeUsersStarterFile(users, locale);
    const limits = listRecommendations();
    return say(locale, {
      zh: `已写入 ${users}，其中有建议的限制（${limits.join("、")}）和原因。`,
      en: `Wrote ${users} with recommended limits (${limits.join(", ")}) and the reasons.`,
    });
  };
  return ignoreRejection(write(), "the defaults apply where no file can be written");
}

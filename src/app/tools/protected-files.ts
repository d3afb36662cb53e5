import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { getConfigDirectory } from "../../config/sources/find-file.ts";
import { readTrusted } from "../../config/trust/trusted-files.ts";
import type { ProtectedFiles } from "../../tools/files/file-guard.ts";

/**
 * Lists the files that hold our configuration and keys, by whatever name they are in force here, or trusted for another place, and
 * the directory of our state.
 */
export async function listProtectedFiles(config: Config): Promise<ProtectedFiles> {
  const { file, dotEnv, home, environment, leftOut } = config;
  const trusted = await readTrusted(home);
  const users = join(getConfigDirectory(environment), "config.json");
  const own = file === undefined ? [] : [file];
  const files = [...own, dotEnv.file, users, ...leftOut.map((each) => each.file), ...trusted.map((each) => each.file)];
  return { files: [...new Set(files)], folders: [home] };
}

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { posix, resolve, win32 } from "node:path";
import { ignoreRejection } from "../async/ignore-rejection.ts";

/** Returns the file that a command starts in a child with this environment and folder, and undefined where there is none. */
export async function findCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const onWindows = platform === "win32";
  const { delimiter } = onWindows ? win32 : posix;
  const isPath = onWindows ? /[\\/]/.test(command) : command.includes("/");
  const folders = isPath ? [cwd] : (env.PATH ?? "").split(delimiter).filter(Boolean);
  const extensions = onWindows ? ["", ...(env.PATHEXT ?? ".COM;.EXE;.BAT;.CMD").split(";")] : [""];
  for (const folder of folders)
    for (const extension of extensions) {
      const file = resolve(folder, command + extension);
      const isThere = access(file, constants.X_OK).then(() => true);
      if (await ignoreRejection(isThere, "a file that cannot be run is none that a command starts")) return file;
    }
  return undefined;
}

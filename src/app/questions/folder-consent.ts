import type { Config } from "../../config/config.ts";
import { createFileGuard } from "../../tools/files/file-guard.ts";
import { listProtectedFiles } from "../tools/protected-files.ts";
import { createReadCurrent, type ReadCurrent } from "./current-file.ts";
import { createSavedRules, type SavedRules } from "./saved-rules.ts";

/** Provides what is needed to ask a person about calls in a folder. */
export interface FolderConsent {
  /** Reads the file that a call would change. */
  readCurrent: ReadCurrent;
  saved: SavedRules;
}

/** Creates what is needed in this folder; nothing is read before it is needed. */
export function createFolderConsent(config: Config, folder: string): FolderConsent {
  return {
    async readCurrent(path) {
      const guard = createFileGuard(await listProtectedFiles(config));
      return createReadCurrent({ roots: config.tools.roots, guard })(path);
    },
    saved: createSavedRules(config.home, folder),
  };
}

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Names the cases that come with Duet. */
export const starterName = "starter";

/** Returns the file of cases that is meant. The starter set is meant by its name where no file is called so. */
export function findCaseFile(written: string): string {
  if (written !== starterName || existsSync(written)) return written;
  return fileURLToPath(new URL("./starter/cases.json", import.meta.url));
}

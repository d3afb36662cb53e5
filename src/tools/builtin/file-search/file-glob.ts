import { basename } from "node:path/posix";
import { isMatch } from "../../../kit/text/match-pattern.ts";

/** Returns true when a path (with `/`) matches. */
export type FileGlob = (path: string) => boolean;

/**
 * Creates a matcher for a pattern such as `*.md`, `docs/*.md` or `*.{ts,js}`, in which `*` is any run of characters. A pattern
 * without `/` matches file names only. Case is ignored.
 */
export function createFileGlob(pattern: string): FileGlob {
  const plain = pattern
    .normalize("NFC")
    .toLowerCase()
    .replace(/^(\.?\/|\*\*\/)+/, "")
    .replaceAll("**/", "*");
  const [, before = "", choices = plain, after = ""] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(plain) ?? [];
  const patterns = choices === plain ? [plain] : choices.split(",").map((choice) => before + choice + after);
  return (path) => {
    const whole = path.normalize("NFC").toLowerCase();
    return patterns.some((each) => isMatch(each.includes("/") ? whole : basename(whole), each));
  };
}

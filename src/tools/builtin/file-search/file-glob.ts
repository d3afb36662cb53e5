import { basename } from "node:path/posix";
import { isMatch } from "../../../kit/text/match-pattern.ts";

/** Whether a path (with `/`) fits. */
export type FileGlob = (path: string) => boolean;

/**
 * A pattern such as `*.md`, `docs/*.md` or `*.{ts,js}`, in which `*` is any run of characters; one without `/` is about names
 * alone. The case of letters does not matter.
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

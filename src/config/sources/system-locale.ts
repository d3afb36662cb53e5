import type { Locale } from "../../kit/locale.ts";
import type { Environment } from "./expand-variables.ts";

/** Returns the language of the terminal, from `LC_ALL`, `LC_MESSAGES` or `LANG`. */
export function getSystemLocale(environment: Environment): Locale {
  const name = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || "";
  return /^zh/i.test(name) ? "zh" : "en";
}

/** Returns true when LC_ALL, LC_MESSAGES or LANG names a language. `C` and `POSIX` do not. */
export function hasLanguage(environment: Environment): boolean {
  const name = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || "";
  return /^[a-z]{2}/i.test(name) && !/^posix/i.test(name);
}

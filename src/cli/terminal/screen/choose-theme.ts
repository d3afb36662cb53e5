import type { ThemeName } from "./theme.ts";

export interface ThemeWishes {
  /** Only `NO_COLOR`, `FORCE_COLOR`, `TERM` and `COLORFGBG` are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Says whether the command line asks for colours. */
  readonly wantsColours: boolean;
  readonly configured: "auto" | "dark" | "light";
}

/**
 * Chooses the theme. Colours are off with the flag, with `NO_COLOR` (https://no-color.org), which overrides `FORCE_COLOR`, or
 * with `FORCE_COLOR=0`. Unless configured, the background counts as light only when the terminal says so in `COLORFGBG`.
 */
export function chooseTheme({ environment, wantsColours, configured }: ThemeWishes): ThemeName {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (!wantsColours || NO_COLOR) return "none";
  if (FORCE_COLOR === "0" || FORCE_COLOR === "false") return "none";
  if (TERM === "dumb" && !FORCE_COLOR) return "none";
  if (configured !== "auto") return configured;
  return hasLightBackground(environment.COLORFGBG) ? "light" : "dark";
}

/** Reads `15;0` or `0;default;15`: the foreground first, the background last, by the numbers of the 16 colours. */
function hasLightBackground(colours = ""): boolean {
  const background = Number(/;(\d{1,2})$/.exec(colours)?.[1] ?? 0);
  return background === 7 || (background > 8 && background < 16);
}

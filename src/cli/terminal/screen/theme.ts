import type { Style } from "../text/line.ts";

/** Maps styles to the 16 colours of the terminal's own palette, which the user can already read. */
export type Theme = (styles: readonly Style[]) => string;

export type ThemeName = "dark" | "light" | "none";

/**
 * Creates a theme, which returns SGR parameters joined by semicolons, or an empty string when the styles have no visible effect.
 */
export function createTheme(name: ThemeName): Theme {
  const looks: Partial<Record<Style, string>> = { ...shapes, ...(name === "none" ? withoutColours : colours[name]) };
  return (styles) => styles.flatMap((style) => looks[style] ?? []).join(";");
}

type Shape = "dim" | "strong" | "emphasis" | "strike" | "underline" | "inverse" | "quote" | "comment";

// Faint, not bright black, which is the background itself in some palettes.
const shapes: Record<Shape, string> = {
  dim: "2",
  strong: "1",
  emphasis: "3",
  strike: "9",
  underline: "4",
  inverse: "7",
  quote: "2",
  comment: "2",
};

/** Without colours the shapes stay, and these show what only a colour would. */
const withoutColours: Partial<Record<Style, string>> = { heading: "1", link: "4" };

// Blue is hard to read on black; yellow and cyan are on white.
const colours: Record<Exclude<ThemeName, "none">, Record<Exclude<Style, Shape>, string>> = {
  dark: {
    heading: "1;36",
    accent: "36",
    good: "32",
    bad: "31",
    warn: "33",
    link: "4;36",
    code: "33",
    keyword: "35",
    string: "32",
    number: "33",
    type: "36",
    name: "94",
  },
  light: {
    heading: "1;34",
    accent: "34",
    good: "32",
    bad: "31",
    warn: "35",
    link: "4;34",
    code: "35",
    keyword: "35",
    string: "32",
    number: "31",
    type: "34",
    name: "34",
  },
};

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

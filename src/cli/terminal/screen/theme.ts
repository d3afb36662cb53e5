import type { Style } from "../text/line.ts";

/** Maps styles to the 16 colours of the terminal's own palette, which the user can already read. */
export type Theme = (styles: readonly Style[]) => string;

export type ThemeName = "dark" | "light" | "none";

/**
 * Creates a theme, which returns SGR parameters joined by semicolons, or an empty string when the styles have no visible effect.
 */
export function createTheme(name: ThemeName): Theme {
  if (name === "none") return () => "";
  const looks = { ...shapes, ...colours[name] };
  return (styles) => styles.map((style) => looks[style]).join(";");
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

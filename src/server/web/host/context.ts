import { isRecord, toText } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";

/** The reader's language: the host's, else the browser's. All but Chinese read English. */
export function readLocale(context: Record<string, unknown>, browser: string): Locale {
  const language = toText(context.locale) || browser;
  return /^zh\b/i.test(language) ? "zh" : "en";
}

/** Takes over how the host looks: light or dark, its colours and fonts. */
export function applyLook(root: HTMLElement, context: Record<string, unknown>): void {
  const { theme, styles, safeAreaInsets } = context;
  if (theme === "light" || theme === "dark") {
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
  }
  const variables = isRecord(styles) && isRecord(styles.variables) ? styles.variables : {};
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  if (!isRecord(safeAreaInsets)) return;
  const { top, right, bottom, left } = safeAreaInsets;
  root.style.padding = [top, right, bottom, left].map((side) => `${typeof side === "number" ? side : 0}px`).join(" ");
}

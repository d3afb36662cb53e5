import type { Locale } from "../../../kit/locale.ts";

/**
 * Returns the language of `Accept-Language` that we have and the reader likes best; `otherwise` where the header names neither, or
 * leaves the choice to us.
 */
export function readAcceptedLocale(header: string | null | undefined, otherwise: Locale): Locale {
  const rated = (header ?? "").split(",").flatMap((range) => {
    const [, tag = "", weight = "1"] = /^\s*([a-z]{1,8})(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(range) ?? [];
    const locale = locales[tag.toLowerCase()];
    return locale === undefined || !(Number(weight) > 0) ? [] : [{ locale, weight: Number(weight) }];
  });
  return rated.toSorted((one, other) => other.weight - one.weight)[0]?.locale ?? otherwise;
}

const locales: Readonly<Record<string, Locale>> = { zh: "zh", en: "en" };

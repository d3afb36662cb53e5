import type { Mode } from "../../../../core/outcome.ts";
import { isRecord } from "../../../../kit/json.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { modes } from "../../../../render/mode-names.ts";
import type { StoredChat } from "./tab-storage.ts";

/** Holds the choices made in this browser, for tabs that have made none of their own. */
export interface Preferences {
  readonly locale?: Locale | undefined;
  readonly mode?: Mode | undefined;
}

export interface PreferenceKeeper {
  /** Returns the tab's own choices, completed with the choices made in other tabs. */
  complete(kept: StoredChat): StoredChat;
  /** Takes the current choices. Those that differ from the previous call count as chosen. */
  saveChoices(now: Required<Preferences>): void;
}

const name = "duet.preferences";

/** Nothing is kept when the browser denies access to its storage. */
export function createPreferences(storage: () => Storage): PreferenceKeeper {
  let before: Preferences = {};
  const read = (): Preferences => {
    try {
      return readPreferences(JSON.parse(storage().getItem(name) ?? "null"));
    } catch {
      return {};
    }
  };
  return {
    complete(kept) {
      const { locale, mode } = read();
      const choices = mode === undefined ? kept.choices : { mode, ...kept.choices };
      return { ...kept, locale: kept.locale ?? locale, choices };
    },
    saveChoices(now) {
      const { locale = now.locale, mode = now.mode } = before;
      before = now;
      if (locale === now.locale && mode === now.mode) return;
      const chosen = {
        ...read(),
        ...(locale === now.locale ? {} : { locale: now.locale }),
        ...(mode === now.mode ? {} : { mode: now.mode }),
      };
      try {
        storage().setItem(name, JSON.stringify(chosen));
      } catch {
        // The next tab begins as the first did.
      }
    },
  };
}

function readPreferences(value: unknown): Preferences {
  const { locale, mode } = isRecord(value) ? value : {};
  return {
    locale: locale === "zh" || locale === "en" ? locale : undefined,
    mode: modes.find((known) => known === mode),
  };
}

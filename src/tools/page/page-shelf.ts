import { LRUCache } from "lru-cache";
import { abortable } from "../../core/waiting.ts";
import type { Page } from "./page.ts";

/** A page and the address at which it was in the end. */
export interface FoundPage {
  url: string;
  page: Page;
}

/** The pages of one conversation, by the addresses asked for and found; the least recently read is forgotten first. */
export interface PageShelf {
  /** From the shelf, from whoever is loading it, or by `load`. Failures are not kept. */
  take(url: string, load: () => Promise<FoundPage>, signal: AbortSignal): Promise<FoundPage & { cached: boolean }>;
}

const mostPages = 30;
/** Characters of all of them. */
const mostText = 6_000_000;

export function createPageShelf(): PageShelf {
  const pages = new LRUCache<string, FoundPage>({
    max: mostPages,
    maxSize: mostText,
    sizeCalculation: ({ page }) => page.text.length + 1000,
  });
  const pending = new Map<string, Promise<FoundPage>>();

  async function load(key: string, loading: Promise<FoundPage>): Promise<FoundPage> {
    pending.set(key, loading);
    try {
      const found = await loading;
      pages.set(key, found);
      pages.set(keyOf(found.url), found);
      return found;
    } finally {
      if (pending.get(key) === loading) pending.delete(key);
    }
  }

  return {
    async take(url, start, signal) {
      const key = keyOf(url);
      const known = pages.get(key);
      if (known) return { ...known, cached: true };
      for (let other = pending.get(key); other; other = pending.get(key)) {
        const found = await abortable(
          other.catch(() => undefined),
          signal,
        );
        if (found) return { ...found, cached: true };
      }
      return { ...(await load(key, start())), cached: false };
    },
  };
}

/** The part behind # is the browser's business. */
function keyOf(url: string): string {
  return url.replace(/#.*$/, "");
}

import { LRUCache } from "lru-cache";
import { shareWork } from "../shared-work.ts";
import type { Page } from "./page.ts";
import { removeHash } from "./page-address.ts";

/** A page and the address at which it was in the end. */
export interface FoundPage {
  url: string;
  page: Page;
}

/** The pages of one conversation, by the addresses asked for and found; the least recently read is forgotten first. */
export interface PageCache {
  /** From the shelf, from whoever is loading it, or by `load`. Failures are not kept. */
  take(url: string, load: () => Promise<FoundPage>, signal: AbortSignal): Promise<FoundPage & { cached: boolean }>;
}

const mostPages = 30;
/** Characters of all of them. */
const mostText = 6_000_000;

export function createPageCache(): PageCache {
  const pages = new LRUCache<string, FoundPage>({
    max: mostPages,
    maxSize: mostText,
    sizeCalculation: ({ page }) => page.text.length + 1000,
  });
  const pending = new Map<string, Promise<FoundPage>>();

  return {
    async take(url, load, signal) {
      const key = removeHash(url);
      const known = pages.get(key);
      if (known) return { ...known, cached: true };
      const { result, isShared } = await shareWork({
        ...{ key, pending, signal },
        work: async () => {
          const found = await load();
          pages.set(key, found);
          pages.set(removeHash(found.url), found);
          return found;
        },
        isGood: () => true,
      });
      return { ...result, cached: isShared };
    },
  };
}

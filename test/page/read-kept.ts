import type { Page } from "playwright-core";

/** Lists what the browser keeps of what was written, of all people. */
export function readKept(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`new Promise(async (resolve, reject) => {
    // The page makes the database itself.
    if ((await indexedDB.databases()).length === 0) return resolve([]);
    const opened = indexedDB.open("duet");
    opened.onerror = () => reject(opened.error);
    opened.onsuccess = () => {
      const all = opened.result.transaction("texts").objectStore("texts").getAll();
      all.onsuccess = () => {
        opened.result.close();
        resolve(all.result.map(({ text }) => text));
      };
    };
  })`);
}

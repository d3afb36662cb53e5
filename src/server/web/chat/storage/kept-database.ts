import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { KeptDatabase, KeptText } from "./kept-text.ts";

const storeName = "texts";

export function openKeptDatabase(factory: () => IDBFactory): KeptDatabase {
  let opened: Promise<IDBDatabase> | undefined;

  function open(): Promise<IDBDatabase> {
    opened ??= new Promise((resolve, reject) => {
      const request = factory().open("duet", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: "key" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return opened;
  }

  /** Opens the database once more where the browser has closed it, as it does when it is short of space. */
  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    try {
      return (await open()).transaction(storeName, mode);
    } catch {
      opened = undefined;
      return (await open()).transaction(storeName, mode);
    }
  }

  async function use<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const transaction = await begin(mode);
    return new Promise((resolve, reject) => {
      const request = work(transaction.objectStore(storeName));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
      // A page that goes would take an open transaction with it.
      transaction.commit();
    });
  }

  return {
    async list() {
      const found = await ignoreRejection(
        use<KeptText[]>("readonly", (store) => store.getAll()),
        "a browser without a database keeps nothing",
      );
      return found ?? [];
    },
    async change(written, removed) {
      const changed = use("readwrite", (store) => {
        for (const key of removed) store.delete(key);
        for (const text of written) store.put(text);
        return store.count();
      });
      return (await ignoreRejection(changed, "the caller learns that nothing has been changed")) !== undefined;
    },
  };
}

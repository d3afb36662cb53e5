import type { ConversationStore } from "../../core/store/store.ts";

/** Says where a run belongs: to a branch of its conversation or behind one of its turns, and to the folder in which a person has asked. */
export interface RunPlace {
  branch: number | undefined;
  after: number | undefined;
  folder: string | undefined;
}

/** Returns the store as a run uses it: what it keeps there goes to its place. */
export function placeRuns(store: ConversationStore, { branch, after, folder }: RunPlace): ConversationStore {
  if (branch === undefined && after === undefined && folder === undefined) return store;
  return {
    ...store,
    append: (run) => store.append({ ...run, branch, after, folder }),
    summarise: (id, summary) => store.summarise(id, summary, branch, after),
  };
}

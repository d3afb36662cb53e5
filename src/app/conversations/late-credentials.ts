import type { Credentials } from "../../core/store/credentials.ts";

/** Refuses with `problem` while the store cannot be opened: nobody is let in who might have been locked out. */
export function createLateCredentials(find: () => Credentials | undefined, problem: Error): Credentials {
  const get = (): Credentials => {
    const found = find();
    if (found === undefined) throw problem;
    return found;
  };
  return {
    tokens: {
      add: async (token) => get().tokens.add(token),
      list: async () => get().tokens.list(),
      find: async (hash) => get().tokens.find(hash),
      revoke: async (name, now) => get().tokens.revoke(name, now),
      recordUse: async (hash, now) => get().tokens.recordUse(hash, now),
    },
    sessions: {
      add: async (session) => get().sessions.add(session),
      find: async (hash) => get().sessions.find(hash),
      remove: async (hash) => get().sessions.remove(hash),
    },
  };
}

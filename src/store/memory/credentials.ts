import {
  type ApiToken,
  type Credentials,
  findTokenState,
  longestDeadTokenMs,
  type SignInSession,
} from "../../core/store/credentials.ts";

/** Keeps API tokens and sessions for as long as the process. */
export function createMemoryCredentials(): Credentials {
  const tokens = new Map<string, ApiToken>();
  const sessions = new Map<string, SignInSession>();
  const isActive = (token: ApiToken, now: string): boolean => findTokenState(token, now) === "active";

  function removeDead(now: string): void {
    const oldest = new Date(Date.parse(now) - longestDeadTokenMs).toISOString();
    for (const { hash, revokedAt, expiresAt } of tokens.values())
      if ((revokedAt ?? expiresAt ?? now) < oldest) tokens.delete(hash);
  }

  return {
    tokens: {
      async add(token) {
        const now = token.createdAt;
        removeDead(now);
        if ([...tokens.values()].some((other) => other.name === token.name && isActive(other, now))) return false;
        tokens.set(token.hash, token);
        return true;
      },
      async list() {
        const now = new Date().toISOString();
        const getRank = (token: ApiToken): string => (isActive(token, now) ? "0" : "1") + token.name;
        return [...tokens.values()].sort((a, b) => getRank(a).localeCompare(getRank(b), "en"));
      },
      find: async (hash) => tokens.get(hash),
      async revoke(name, now) {
        const found = [...tokens.values()].find((token) => token.name === name && isActive(token, now));
        if (found !== undefined) tokens.set(found.hash, { ...found, revokedAt: now });
        return found !== undefined;
      },
      async recordUse(hash, now) {
        const found = tokens.get(hash);
        if (found !== undefined) tokens.set(hash, { ...found, lastUsedAt: now });
      },
    },
    sessions: {
      async add(session) {
        for (const { hash, expiresAt } of sessions.values()) if (expiresAt <= session.createdAt) sessions.delete(hash);
        sessions.set(session.hash, session);
      },
      find: async (hash) => sessions.get(hash),
      async remove(hash) {
        sessions.delete(hash);
      },
    },
  };
}

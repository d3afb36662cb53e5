import { isRecord, toText } from "../../../../kit/json.ts";

/** Says who signs people in on this server, and who is signed in in this browser. */
export interface Account {
  /** Is undefined where nobody can sign in. */
  readonly provider: string | undefined;
  readonly name: string | undefined;
}

/** Rejects when the server cannot be reached. */
export async function fetchAccount(): Promise<Account> {
  const response = await fetch("/signin/session", { credentials: "same-origin" });
  const said: unknown = await response.json();
  const { provider, person } = isRecord(said) ? said : {};
  return {
    provider: toText(provider) || undefined,
    name: (isRecord(person) && toText(person.name)) || undefined,
  };
}

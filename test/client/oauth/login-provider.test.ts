import { expect, test } from "vitest";
import { createCredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { createLoginProvider } from "../../../src/client/oauth/login-provider.ts";
import type { AuthSettings } from "../../../src/config/config.ts";
import { http } from "../servers.ts";

const url = "https://docs.example/mcp";

function openProvider(auth: AuthSettings = { type: "oauth" }) {
  const store = createCredentialStore(undefined);
  const owner = { name: "web", url };
  const { signal } = new AbortController();
  const redirectUrl = "http://127.0.0.1:7777/callback";
  const provider = createLoginProvider({ settings: http(url, { auth }), owner, store, signal, redirectUrl });
  return { provider, store, owner, signal };
}

test("an answer belongs to a sign-in only with the state that this very sign-in has sent", () => {
  const { provider } = openProvider();
  const state = String(provider.state?.());
  const of = (text: string | undefined) => new URLSearchParams(text === undefined ? {} : { state: text });
  const flipped = (state.startsWith("A") ? "B" : "A") + state.slice(1);
  expect(provider.isOurs(of(state))).toBe(true);
  for (const other of [undefined, "", flipped, `${state}A`, state.slice(1), String(openProvider().provider.state?.())])
    expect(provider.isOurs(of(other))).toBe(false);
  expect(state.length).toBeGreaterThanOrEqual(32);
});

test("a configured client's secret goes to no other authorization server than before", async () => {
  const { provider, store, owner, signal } = openProvider({ type: "oauth", clientId: "me", clientSecret: "canary" });
  const ask = (issuer: string) => provider.clientInformation({ issuer });
  expect(await ask("https://as.example")).toMatchObject({ client_id: "me" });
  await store.exclusively(owner, signal, ({ save }) => save({ issuer: "https://as.example", issuers: {} }));
  expect(await ask("https://as.example")).toMatchObject({ client_id: "me" });
  await expect(ask("https://evil.example")).rejects.toThrow("https://evil.example");
});

test("what one authorization server knows us by is not told to another", async () => {
  const { provider, store, owner, signal } = openProvider();
  const issuers = { "https://as.example": { client: { id: "registered" } } };
  await store.exclusively(owner, signal, ({ save }) => save({ issuer: "https://as.example", issuers }));
  expect(await provider.clientInformation({ issuer: "https://as.example" })).toMatchObject({ client_id: "registered" });
  expect(await provider.clientInformation({ issuer: "https://evil.example" })).toBeUndefined();
});

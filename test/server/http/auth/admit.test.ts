import { describe, expect, test } from "vitest";
import { operator } from "../../../../src/core/caller.ts";
import { createAuthenticate } from "../../../../src/server/http/auth/authenticate.ts";
import type { Authenticate } from "../../../../src/server/http/auth/open-auth.ts";

const token = "operator-token-0123456789";
const refusal = { status: 401, error: "auth", text: { zh: "", en: "sign in" } } as const;
const anna = { owner: "anna" };

function ask(authenticate: Authenticate, authorization?: string) {
  return authenticate(new Request("http://127.0.0.1/mcp", { headers: authorization ? { authorization } : {} }));
}

describe("where there is an operator's token", () => {
  const admit = createAuthenticate({ token });

  test.each([`Bearer ${token}`, `bearer ${token}`, `Bearer   ${token} `])(
    "%j is the operator",
    async (authorization) => {
      expect(await ask(admit, authorization)).toEqual({ caller: operator, key: "DUET_HTTP_TOKEN" });
    },
  );

  test.each([
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}x`,
    `Bearer x${token}`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${token}, Bearer ${token}`,
    `Basic ${token}`,
    `Bearer`,
    token,
  ])("%j lets nobody in", async (authorization) => {
    expect(await ask(admit, authorization)).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="duet", error="invalid_token"' },
    });
  });

  test("who brings none is told the scheme and no error", async () => {
    const { headers } = { headers: undefined, ...(await ask(admit)) };
    expect(headers).toEqual({ "www-authenticate": 'Bearer realm="duet"' });
  });
});

describe("where there are a token and a sign-in", () => {
  const signIn: Authenticate = async (request) =>
    request.headers.get("authorization") === "Bearer of-anna" ? { caller: anna } : refusal;

  test("either is enough, and who has neither is told how to sign in", async () => {
    const admit = createAuthenticate({ token, signIn });
    expect(await ask(admit, `Bearer ${token}`)).toEqual({ caller: operator, key: "DUET_HTTP_TOKEN" });
    expect(await ask(admit, "Bearer of-anna")).toEqual({ caller: anna });
    expect(await ask(admit, "Bearer of-ben")).toEqual(refusal);
  });

  test("without a token the sign-in decides alone", async () => {
    const admit = createAuthenticate({ signIn });
    expect(await ask(admit, `Bearer ${token}`)).toEqual(refusal);
    expect(await ask(admit)).toEqual(refusal);
  });
});

test("with neither, whoever can reach the server is the operator", async () => {
  expect(await ask(createAuthenticate({}))).toEqual({ caller: operator });
});

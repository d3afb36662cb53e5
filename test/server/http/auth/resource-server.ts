import { serveSchema } from "../../../../src/config/schema/file-schema.ts";
import type { AuthSettings, Clock } from "../../../../src/server/http/auth/auth-settings.ts";
import { type Admission, type AuthOptions, openAuth } from "../../../../src/server/http/auth/open-auth.ts";
import type { HttpRefusal } from "../../../../src/server/http/response/dialects.ts";
import { toJsonRpcError } from "../../../../src/server/http/response/dialects.ts";
import { toRefusalResponse } from "../../../../src/server/http/response/refusal.ts";

export const resource = "https://duet.example.com/mcp";

/** A clock that a test moves, in milliseconds. */
export interface TestClock extends Clock {
  pass(ms: number): void;
}

export function testClock(): TestClock {
  let passed = 0;
  return {
    now: () => Date.now() + passed,
    elapsed: () => passed,
    pass(ms) {
      passed += ms;
    },
  };
}

/** Creates the authentication of a resource server with these settings and the defaults of the configuration. */
export function openResourceServer(
  given: Partial<AuthSettings> & { issuer: string },
  options: Partial<AuthOptions> = {},
) {
  const auth = serveSchema.parse({ http: { auth: given } }).http.auth;
  if (auth === undefined) throw new Error("no settings");
  const lines: string[] = [];
  const clock = testClock();
  const { authenticate, routes } = openAuth(auth, {
    resource,
    locale: "en",
    log: (line) => void lines.push(line),
    clock,
    ...options,
  });

  async function knock(authorization?: string): Promise<Admission | HttpRefusal> {
    return authenticate(new Request(resource, { method: "POST", headers: authorization ? { authorization } : {} }));
  }

  return {
    authenticate,
    routes,
    lines,
    clock,
    knock,
    /** Whoever brings this token; throws where it lets nobody in. */
    async admit(token: string): Promise<Admission> {
      const admission = await knock(`Bearer ${token}`);
      if (!("status" in admission)) return admission;
      throw new Error(`${admission.status} ${admission.text.en}`);
    },
    /** How a token, or whatever else stands in the header, is refused; throws where it is not. */
    async refusal(authorization?: string) {
      const refusal = await knock(authorization);
      if (!("status" in refusal)) throw new Error("admitted");
      const response = toRefusalResponse(refusal, "en", toJsonRpcError);
      const { status, headers } = response;
      return {
        status,
        challenge: headers.get("www-authenticate"),
        retry: headers.get("retry-after"),
        body: await response.text(),
      };
    },
  };
}

import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/caller.ts";
import type { HttpRefusal } from "../response/refusal.ts";

/** Who calls, as far as their credentials say. */
export interface Admission {
  caller: Caller;
  /** What the SDK hands on to tools as `context.http.authInfo`. */
  authInfo?: AuthInfo;
}

/** Tells who sends a request, or why it is refused (401 or 403 with `WWW-Authenticate`). */
export type Authenticate = (request: Request) => Promise<Admission | HttpRefusal>;

/** Pages by path that anybody may read, signed in or not: the metadata of a protected resource. */
export type OpenPages = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;

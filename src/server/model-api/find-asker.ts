import { createHash } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { RouteCall } from "../http/routes.ts";

type AskerSettings = Pick<Config["serve"]["modelApi"], "trustedKeys" | "userHeader">;

/** Limits the name of a person, in UTF-16 units. Longer names differ in their beginning. */
const longestName = 256;

/** Returns the call on behalf of who asks. A wire does this before anything else, so that all that a request leaves is that person's. */
export function withAsker(call: RouteCall, settings: AskerSettings, user: string | undefined): RouteCall {
  return { ...call, caller: findAsker(call, settings, user) };
}

/**
 * Returns who asks. A trusted key asks for other people, each of whom is a caller of their own, with limits and conversations of
 * their own. Other keys can say what they want: they are themselves. Where a header is configured, the body does not count,
 * because gateways pass on what their own clients write there.
 */
function findAsker(
  { caller, key, request }: Pick<RouteCall, "caller" | "key" | "request">,
  { trustedKeys, userHeader }: AskerSettings,
  user: string | undefined,
): Caller {
  if (key === undefined || !trustedKeys.includes(key)) return caller;
  const named = userHeader === undefined ? user : request.headers.get(userHeader);
  const name = named?.trim().slice(0, longestName) ?? "";
  return name === "" ? caller : { ...caller, owner: toOwner(caller, name) };
}

/** The owner does not reveal the person. */
function toOwner({ owner }: Caller, name: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["asks for", owner ?? null, name]))
    .digest("base64url");
}

import type { JWTPayload } from "jose";
import type { AuthSettings } from "./settings.ts";

/** What a token lets do: `scope` of RFC 9068, or `scp`, as a text or a list, which some issuers write. */
export function readScopes({ scope, scp }: JWTPayload): string[] {
  const written = scope ?? scp;
  const words = Array.isArray(written) ? written : typeof written === "string" ? written.split(" ") : [];
  return words.filter((word) => typeof word === "string" && word !== "");
}

/** The patterns of the tools that these scopes open, in the configuration's order; undefined where scopes say nothing of tools. */
export function listScopeTools(
  scopes: readonly string[],
  { tools }: Pick<AuthSettings, "tools">,
): string[] | undefined {
  if (tools === undefined) return undefined;
  const opened = Object.entries(tools).filter(([scope]) => scopes.includes(scope));
  return [...new Set(opened.flatMap(([, patterns]) => patterns))];
}

/** All that a client can ask for. */
export function listSupportedScopes({ scopes, tools = {} }: Pick<AuthSettings, "scopes" | "tools">): string[] {
  return [...new Set([...scopes, ...Object.keys(tools)])];
}

import type { AgentRequests } from "./agent-requests.ts";
import type { Send, SendOptions } from "./sender.ts";

/** Holds what a request takes besides its own fields. */
type CallOptions = Omit<SendOptions, "body">;

/** Fields that may all be left out may be left out together. */
type CallArguments<Name extends keyof AgentRequests> =
  Record<never, never> extends AgentRequests[Name]
    ? [taken?: AgentRequests[Name] & CallOptions]
    : [taken: AgentRequests[Name] & CallOptions];

/** Makes a request that the OpenAPI document has, with what it takes. Rejects as `Send` does. */
export type CallAgent = <Name extends keyof AgentRequests>(
  name: Name,
  ...taken: CallArguments<Name>
) => Promise<Response>;

export function createCaller(send: Send): CallAgent {
  return (name, ...[taken]) => {
    const { path = {}, query = {}, body, ...sending } = taken ?? {};
    const [method = "", pattern = ""] = name.split(" ");
    const names = new Map<string, unknown>(Object.entries(path));
    const place = pattern.replace(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(String(names.get(each))));
    const asked = Object.entries(query).flatMap(([each, value]) =>
      value === undefined ? [] : [[each, String(value)] as [string, string]],
    );
    const search = asked.length === 0 ? "" : `?${new URLSearchParams(asked)}`;
    return send(method, place + search, { body, ...sending });
  };
}

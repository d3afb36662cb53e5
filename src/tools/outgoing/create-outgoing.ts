import type { Lookup } from "../../kit/net/check-address.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import { readReachList } from "./reach-list.ts";
import { createWebRules } from "./web-rules.ts";

/** What the tools that go out may reach; see the configuration's `web`. */
export interface ToolFetchRules {
  /** Hosts, ranges and ports that may be reached although they are private: `localhost:8080`, `10.0.0.0/8`, `db.example.com:5432`. */
  reach: readonly string[];
  /** Ports of public hosts. */
  ports: readonly number[];
}

/** What tests put in the place of the world. */
export interface ToolFetchParts {
  lookup?: Lookup;
  /** Certificates to trust in place of the usual ones, as PEM. */
  ca?: string;
  /** Longest silence within a body, in milliseconds. */
  idleMs?: number;
}

/**
 * The door under the rules. No proxy of the environment (`HTTP_PROXY`) is used: the address that is dialled is the one that was
 * judged. Throws a `DuetError` for an entry of `reach` that cannot be read.
 */
export function createToolFetch({ reach, ports }: ToolFetchRules, parts: ToolFetchParts = {}): GuardedFetch {
  const rules = createWebRules(readReachList(reach), new Set(ports));
  const door = () =>
    import("../../kit/net/create-guarded-fetch.ts").then(({ createGuardedFetch }) =>
      createGuardedFetch({ reach: rules, ...parts }),
    );
  return {
    request: async (request) => (await door()).request(request),
    connect: async (host, port, options) => (await door()).connect(host, port, options),
  };
}

import { addressKinds, classifyAddress } from "../../kit/net/address-kind.ts";
import type { Lookup, Reach } from "../../kit/net/check-address.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import { refusedError } from "../../kit/net/request-errors.ts";
import { type ReachList, readReachList } from "./reach-list.ts";

/** Limits what the network tools may reach, as in the configuration's `web`. */
export interface ToolFetchRules {
  /**
   * Lists hosts, ranges and ports that may be reached although they are private: `localhost:8080`, `10.0.0.0/8`,
   * `db.example.com:5432`.
   */
  reach: readonly string[];
  /** Lists the allowed ports of public hosts. */
  ports: readonly number[];
}

/** Holds what tests replace: the name lookup and the trusted certificates. */
export interface ToolFetchParts {
  lookup?: Lookup;
  /** Holds the certificates to trust instead of the usual ones, as PEM. */
  ca?: string;
  /** Limits the silence within a body, in milliseconds. */
  idleMs?: number;
}

/**
 * Creates the fetch function that applies these rules. It ignores the proxies of the environment (`HTTP_PROXY`), so that the
 * address that is dialled is the one that was checked. Throws a `DuetError` for an invalid entry of `reach`.
 */
export function createToolFetch({ reach, ports }: ToolFetchRules, parts: ToolFetchParts = {}): GuardedFetch {
  const rules = createWebRules(readReachList(reach), new Set(ports));
  const loadFetch = () =>
    import("../../kit/net/create-guarded-fetch.ts").then(({ createGuardedFetch }) =>
      createGuardedFetch({ reach: rules, ...parts }),
    );
  return {
    request: async (request) => (await loadFetch()).request(request),
    connect: async (host, port, options) => (await loadFetch()).connect(host, port, options),
  };
}

/** Allows what the configuration's `web` lets tools dial: what `reach` names, and public hosts at `ports`. */
export function createWebRules(reach: ReachList, ports: ReadonlySet<number>): Reach {
  return {
    permits: (host, address, port) =>
      reach.permits(host, address, port) || (classifyAddress(address) === "public" && ports.has(port)),
    refusal: createRefusal,
  };
}

/** Says which setting would allow the first address. */
const createRefusal: Reach["refusal"] = ({ host, port, shown }, address, kind) => {
  if (kind === "public") {
    return refusedError(shown, {
      zh: `端口 ${port} 不在 web.ports 中；如需访问，把端口加入 web.ports，或把 "${shown}" 加入 web.reach`,
      en: `port ${port} is not among web.ports; add it there, or "${shown}" to web.reach, to allow this`,
    });
  }
  const { zh, en } = addressKinds[kind];
  const entry = kind === "proxy" ? "198.18.0.0/15" : shown;
  const isLiteral = host === address;
  return refusedError(shown, {
    zh: `${isLiteral ? "这" : `它解析到 ${address}，`}是${zh}；如需访问，把 "${entry}" 加入 web.reach`,
    en: `it ${isLiteral ? "is" : `resolves to ${address},`} ${en}; add "${entry}" to web.reach to allow this`,
  });
};

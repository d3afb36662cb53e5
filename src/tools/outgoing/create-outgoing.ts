import type { Lookup } from "./judge.ts";
import type { Outgoing, OutgoingRules } from "./outgoing.ts";
import { readReachList } from "./reach-list.ts";

/** What tests put in the place of the world. */
export interface OutgoingParts {
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
export function createOutgoing({ reach, ports }: OutgoingRules, parts: OutgoingParts = {}): Outgoing {
  const list = readReachList(reach);
  const door = () =>
    import("./door.ts").then(({ openDoor }) => openDoor({ reach: list, ports: new Set(ports), ...parts }));
  return {
    request: async (request) => (await door()).request(request),
    connect: async (host, port, options) => (await door()).connect(host, port, options),
  };
}

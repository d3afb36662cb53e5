import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Chance } from "./chance.ts";

/** Stands between one replica and the database. */
export interface CutProxy {
  /** The address of the database for that replica. */
  url: string;
  /** From now on nothing arrives on either side, and no connection ends. */
  cut(): void;
  /**
   * Ends that. Of the connections of before, the bytes of some are lost for good, and they end; those of others arrive late, as a network
   * sends them again, also what their sender has given up meanwhile.
   */
  heal(): void;
  close(): Promise<void>;
}

export async function openCutProxy(url: string, chance: Chance): Promise<CutProxy> {
  const place = new URL(url);
  const target = { host: place.hostname, port: Number(place.port) };
  const pairs = new Set<Pair>();
  let isCut = false;

  const server = createServer((client) => {
    const pair: Pair = { sockets: [client, connect(target)], late: [] };
    pairs.add(pair);
    const [, upstream] = pair.sockets;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const deliver = (work: () => void): void => void (isCut ? pair.late.push(work) : work());
      from.on("data", (bytes: Buffer) => deliver(() => void to.write(bytes)));
      from.on("error", () => {});
      from.on("close", () => deliver(() => void to.end()));
      from.on("close", () => {
        if (client.destroyed && upstream.destroyed) pairs.delete(pair);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  place.hostname = "127.0.0.1";
  place.port = String(address.port);
  return {
    url: place.href,
    cut() {
      isCut = true;
    },
    heal() {
      isCut = false;
      for (const { sockets, late } of pairs)
        if (late.length > 0 && chance.next() < 0.5) for (const each of sockets) each.destroy();
        else for (const work of late.splice(0)) work();
    },
    async close() {
      for (const { sockets } of pairs) for (const each of sockets) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Pair {
  sockets: readonly [client: Socket, upstream: Socket];
  /** Holds what was to be delivered while the connection was cut. */
  late: (() => void)[];
}

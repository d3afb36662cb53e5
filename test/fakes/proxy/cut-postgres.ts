import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Is how PostgreSQL says that a transaction is stored. */
const committed = Buffer.from("COMMIT\0");

export interface CutProxy {
  /** Is the address of the database by way of the proxy. */
  url: string;
  /** Cuts the connection on which the next transaction is stored, before its client learns of it. */
  cutAtCommit(): void;
  /** Holds connections from now on: they are accepted, and the database hears nothing of them. */
  holdConnections(): HeldConnections;
}

export interface HeldConnections {
  /** Resolves when there is one. */
  readonly first: Promise<void>;
  /** Lets the database answer these connections and later ones. */
  release(): void;
}

/** Opens a proxy of a database whose connections a test cuts or holds. */
export async function openCutProxy(url: string): Promise<CutProxy> {
  const place = new URL(url);
  const { hostname, port } = place;
  let isArmed = false;
  let holding: { first: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined;
  const server = createServer(async (client) => {
    client.on("error", () => {});
    holding?.first.resolve();
    await holding?.released.promise;
    const upstream = connect(Number(port), hostname);
    const pair: readonly Socket[] = [client, upstream];
    upstream.on("data", (piece: Buffer) => {
      if (!isArmed || !piece.includes(committed)) return void client.write(piece);
      isArmed = false;
      for (const each of pair) each.destroy();
    });
    client.pipe(upstream);
    for (const each of pair) {
      each.on("error", () => {});
      each.on("close", () => pair.forEach((one) => void one.destroy()));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  place.hostname = "127.0.0.1";
  place.port = String(address.port);
  return {
    url: place.href,
    cutAtCommit() {
      isArmed = true;
    },
    holdConnections() {
      const held = { first: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      holding = held;
      return {
        first: held.first.promise,
        release() {
          holding = undefined;
          held.released.resolve();
        },
      };
    },
  };
}

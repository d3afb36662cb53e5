import { once } from "node:events";
import { connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** Is the type of the message with which PostgreSQL delivers a notification. */
const notification = "A".charCodeAt(0);

/**
 * Gives the address of a proxy of a database that passes on all but notifications, as a pooler does that gives each transaction another
 * connection. Messages of the server have a type of one byte and a length of four (https://www.postgresql.org/docs/current/protocol.html).
 */
export async function openDeafProxy(url: string): Promise<string> {
  const place = new URL(url);
  const { hostname, port } = place;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let rest = Buffer.alloc(0);
    upstream.on("data", (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const end = 1 + rest.readUInt32BE(1);
        if (rest[0] !== notification) client.write(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
    client.pipe(upstream);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  place.hostname = "127.0.0.1";
  place.port = String(address.port);
  return place.href;
}

import { connect, createServer, type Socket } from "node:net";
import { afterAll } from "vitest";

/** What a browser and a server are connected by. */
export interface Cable {
  readonly origin: string;
  /** Where it leads to. */
  lead(port: number): void;
  /** Ends all connections, and refuses new ones. */
  cut(): void;
  mend(): void;
}

/** A way to a server of this machine that can be cut; taken away with the file. */
export async function layCable(): Promise<Cable> {
  const open = new Set<Socket>();
  let isCut = false;
  let port = 0;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one
        .on("error", () => {})
        .on("close", () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  afterAll(() => {
    end();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    lead(to) {
      port = to;
    },
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
  };
}

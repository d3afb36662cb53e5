import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createSemaphore } from "../../src/kit/async/semaphore.ts";
import { isRecord, toText } from "../../src/kit/json.ts";
import { drive } from "./client-driver.ts";

export interface ClientProxy {
  /** Where it listens. */
  socket: string;
  close(): Promise<void>;
}

/** Takes the tasks of clients that the suite starts. */
export async function openClientProxy(folder: string): Promise<ClientProxy> {
  const socket = join(folder, "proxy");
  // The suite starts its clients all at once, but some are checked by the clock: no more of them work than cores.
  const semaphore = createSemaphore(2);
  const server = createServer({ allowHalfOpen: true }, (client) => void play(client));

  async function play(client: Socket): Promise<void> {
    const { scenario, context, url }: Record<string, unknown> = JSON.parse(await text(client));
    await semaphore.acquire(AbortSignal.timeout(240_000));
    try {
      await drive({ scenario: toText(scenario), context: isRecord(context) ? context : {}, url: toText(url) });
      client.end();
    } catch (thrown) {
      client.end(String(thrown));
    } finally {
      semaphore.release();
    }
  }

  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

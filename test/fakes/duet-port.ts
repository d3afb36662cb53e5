import { onTestFinished } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { serveOverHttp } from "../../src/server/http/serve-http.ts";
import { createMcpInterface } from "../../src/server/mcp/mcp-interface.ts";
import { configFile, temporaryFolder } from "./program.ts";

/** An address at which a Duet of this process can be asked. */
export interface DuetPort {
  url: string;
  /** The Duet behind the address, from then on; closed when the test ends. */
  serve(settings: object, environment: Record<string, string>): Promise<Duet>;
}

/** `duet serve --http` in this process; the address is there before the Duet, which may so be configured to be below itself. */
export async function openDuetPort(options: { expose?: "agent" | "both" } = {}): Promise<DuetPort> {
  const stop = new AbortController();
  let served: Duet | undefined;
  const begun = Promise.withResolvers<ReturnType<typeof createMcpInterface>>();
  const listening = Promise.withResolvers<string>();
  const config = await loadConfig({ config: await configFile({}) }, { HOME: await temporaryFolder() });
  const over = serveOverHttp({
    createServer: async (...request) => (await begun.promise).createServer(...request),
    settings: config.serve.http,
    host: "127.0.0.1",
    port: 0,
    onChange: (_, listener) => served?.gateway().onChange(listener) ?? (() => {}),
    readiness: async () => ({ isReady: true, details: {} }),
    locale: "en",
    log: () => {},
    onListening: listening.resolve,
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stop.abort();
    await over;
  });
  return {
    url: await listening.promise,
    async serve(settings, environment) {
      const home = await temporaryFolder();
      const file = await configFile({ locale: "en", conversations: { store: "memory" }, ...settings });
      const read = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home, ...environment });
      const duet = await openDuet(read);
      onTestFinished(() => duet.close());
      served = duet;
      begun.resolve(createMcpInterface(duet, { settings: read.serve, asks: read.tools.ask, ...options }));
      return duet;
    },
  };
}

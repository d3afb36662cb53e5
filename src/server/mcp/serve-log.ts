import type { McpServer } from "@modelcontextprotocol/server";
import { isAtLeast, type ServerLogLevel } from "../../core/server-log.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Capabilities } from "./capabilities.ts";

/**
 * Lets a host set the level of logs, and sends it what the providers log beside its requests, once its session has begun: everything
 * that servers log until it has set one, which is `info` and above once another host has. Without a provider that logs, logging is not
 * declared. The returned function stops this.
 */
export function serveLog(
  { server }: McpServer,
  providers: readonly Capabilities[],
  onInitialized: (() => void)[],
): () => void {
  const logging = providers.filter(({ onLog }) => onLog !== undefined);
  if (logging.length === 0) return () => {};
  server.registerCapabilities({ logging: {} });
  let wanted: ServerLogLevel = "debug";
  let unlisten: readonly ((() => void) | undefined)[] = [];

  server.setRequestHandler("logging/setLevel", ({ params: { level } }) => {
    wanted = level;
    for (const provider of providers) provider.setLogLevel?.(level);
    return {};
  });
  // A host of the 2026 era never gets here: it reads logs of its own requests alone.
  onInitialized.push(() => {
    unlisten = logging.map(({ onLog }) =>
      onLog?.((entry) => {
        if (!isAtLeast(entry.level, wanted)) return;
        void ignoreRejection(server.sendLoggingMessage({ ...entry }), "a host that has left hears of nothing");
      }),
    );
  });
  return () => {
    for (const stop of unlisten) stop?.();
  };
}

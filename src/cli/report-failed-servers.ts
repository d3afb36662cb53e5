import { createWarn } from "./stderr-lines.ts";
import type { Opened } from "./with-duet.ts";

/**
 * Tells, a line each, which servers cannot be used, once every server has been tried: of a face without a reader nobody else
 * would hear of it. Ends with the signal; never rejects.
 */
export async function reportFailedServers({ duet, config, console, signal }: Opened): Promise<void> {
  const servers = await duet.servers(signal).catch(() => []);
  const warn = createWarn(config, console);
  for (const { error } of servers) if (error !== null && !signal.aborted) warn(error.text);
}

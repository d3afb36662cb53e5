import type { McpServer } from "@modelcontextprotocol/server";
import { announceChanges } from "./announce.ts";
import { captureTools } from "./capture-tools.ts";
import type { Exposed } from "./exposed.ts";
import { serveCompletions } from "./serve-completions.ts";
import { servePrompts } from "./serve-prompts.ts";
import { serveResources } from "./serve-resources.ts";
import { serveTools } from "./serve-tools.ts";

export interface ExposeOptions extends Pick<Exposed, "gateway" | "locale"> {
  listLimit?: number | undefined;
  /** Tools of the server's own, which come first; `register` gives them to it. */
  own?: { names: readonly string[]; register(): void } | undefined;
}

/** About a tenth of what the models of today's hosts read at once. */
const usualListLimit = 20_000;

/** Serves every tool, prompt and resource there is on this connection, until it ends. */
export function expose(server: McpServer, { gateway, locale, listLimit = usualListLimit, own }: ExposeOptions): void {
  const changes = { listChanged: true };
  server.server.registerCapabilities({ tools: changes, prompts: changes, resources: changes, completions: {} });
  const captured = own && captureTools(server, own.names, own.register);
  const announcements = announceChanges(server, gateway);
  const exposed: Exposed = { gateway, locale, listLimit, person: {}, give: announcements.give };
  const rounds = [
    serveTools(server, exposed, captured),
    servePrompts(server, exposed),
    serveResources(server, exposed),
  ];
  serveCompletions(server, exposed);
  server.server.onclose = () => {
    announcements.close();
    for (const each of rounds) each.close();
  };
}

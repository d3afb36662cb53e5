import type { McpServers } from "../../../app/tools/mcp-servers.ts";

/** Is the interval between two looks at the servers that start, in milliseconds. */
const lookMs = 300;

/** Finds out which servers a run waits for, until it has begun. */
export interface StartWatch {
  /** Names them. */
  readonly servers: readonly string[];
  begin(): void;
  end(): void;
}

export function createStartWatch(mcpServers: Pick<McpServers, "listStarting">, onChange: () => void): StartWatch {
  let servers: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const found = await mcpServers.listStarting().catch(() => []);
    if (timer === undefined) return;
    servers = found;
    onChange();
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    servers = [];
  }

  return {
    get servers() {
      return servers;
    },
    begin() {
      end();
      timer = setInterval(look, lookMs).unref();
    },
    end,
  };
}

import type { NamedChange, Pool } from "../../client/pool.ts";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { ServerLog } from "../../client/server-log.ts";
import type { ServerSettings } from "../../config/config.ts";
import type { ToolParts } from "../duet-parts.ts";

/** Shows and changes the MCP servers that Duet uses, and approves their tools. */
export class McpServers {
  readonly #inventory: ToolParts["inventory"];
  readonly #gateways: ToolParts["gateways"];

  constructor({ inventory, gateways }: Pick<ToolParts, "inventory" | "gateways">) {
    this.#inventory = inventory;
    this.#gateways = gateways;
  }

  /** Returns the state of the servers once each has been tried. `onTried` hears of each as soon as that one has been. */
  async waitForStatus(signal?: AbortSignal, onTried?: (status: ServerStatus) => void): Promise<ServerStatus[]> {
    return (await this.#waitForServers(signal, onTried))?.status() ?? [];
  }

  /** Names the servers that are starting at this moment; it waits for none. */
  async listStarting(): Promise<string[]> {
    const servers = (await this.#inventory.pool())?.status() ?? [];
    return servers.filter(({ state }) => state === "starting").map(({ name }) => name);
  }

  /**
   * Starts a server anew at once, as after a sign-in, and settles when that start is over. Returns false for a name that no server
   * has.
   */
  async restart(name: string): Promise<boolean> {
    return (await (await this.#inventory.pool())?.restart(name)) ?? false;
  }

  /** Returns what a server has said last; undefined for a name that none has. */
  async findLog(name: string): Promise<ServerLog | undefined> {
    return (await this.#inventory.pool())?.log(name);
  }

  /** Takes these servers in place of those of the configuration; whose settings are the same goes on undisturbed. */
  async configure(servers: readonly ServerSettings[]): Promise<void> {
    await this.#inventory.configure(servers);
    await this.#gateways.refresh();
  }

  /** Returns the servers' tools that wait for approval. Waits for the servers to start. */
  async listWaitingTools(signal?: AbortSignal): Promise<NamedChange[]> {
    return (await this.#waitForServers(signal))?.waiting() ?? [];
  }

  /** Returns the servers' tools that were trusted at first use and that nobody has approved. Waits for the servers to start. */
  async listTrustedTools(signal?: AbortSignal): Promise<NamedChange[]> {
    return (await this.#waitForServers(signal))?.trusted() ?? [];
  }

  /** Approves those that still wait as they were shown, and gives them. Rejects when that cannot be kept. */
  async approveTools(shown: readonly NamedChange[]): Promise<NamedChange[]> {
    return (await this.#inventory.pool())?.approve(shown) ?? [];
  }

  /** Waits until each server has been tried. */
  async #waitForServers(
    signal: AbortSignal | undefined,
    onTried?: (status: ServerStatus) => void,
  ): Promise<Pool | undefined> {
    const pool = await this.#inventory.pool();
    await pool?.ready(signal, {}, onTried);
    return pool;
  }
}

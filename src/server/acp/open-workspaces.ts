import { isDeepStrictEqual } from "node:util";
import type { McpServer } from "@agentclientprotocol/sdk";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Workspace } from "./workspace.ts";

/** Says where an editor works, and which servers it hands over. */
export interface WorkspacePlace {
  directory: string;
  servers: readonly McpServer[];
}

export interface OpenedWorkspace extends Workspace {
  close(): Promise<void>;
}

/** Opens the agent for a place. Throws a `DuetError` where that cannot be. */
export type OpenWorkspace = (place: WorkspacePlace) => Promise<OpenedWorkspace>;

/** Is a workspace as one of those has it that share it. */
export interface SharedWorkspace {
  workspace: OpenedWorkspace;
  /** Ends it when nobody else has it, with the servers that were handed over for it. */
  release(): Promise<void>;
}

/** Holds the agents that are open for the folders of one editor. */
export interface OpenWorkspaces {
  /** Sessions of one folder with the same servers share an agent. */
  hold(place: WorkspacePlace): Promise<SharedWorkspace>;
  /**
   * Returns one whose conversations are those of the folder, or of any where none is named. One that was open stays so until it is
   * released, and one that has to be opened until the end.
   */
  find(directory: string | undefined): Promise<SharedWorkspace>;
  close(): Promise<void>;
}

interface Entry {
  place: WorkspacePlace;
  opening: Promise<OpenedWorkspace>;
  holders: number;
}

export function createOpenWorkspaces(open: OpenWorkspace): OpenWorkspaces {
  const entries = new Set<Entry>();

  function enter(place: WorkspacePlace): Entry {
    const known = [...entries].find((entry) => isDeepStrictEqual(entry.place, place));
    const entry = known ?? { place, opening: open(place), holders: 0 };
    entries.add(entry);
    entry.holders++;
    return entry;
  }

  async function leave(entry: Entry): Promise<void> {
    entry.holders--;
    if (entry.holders > 0 || !entries.delete(entry)) return;
    const opened = await ignoreRejection(entry.opening, "what could not be opened needs no end");
    await opened?.close();
  }

  async function hold(place: WorkspacePlace): Promise<SharedWorkspace> {
    const entry = enter(place);
    let isHeld = true;
    const release = async (): Promise<void> => {
      if (!isHeld) return;
      isHeld = false;
      await leave(entry);
    };
    try {
      return { workspace: await entry.opening, release };
    } catch (thrown) {
      // It is tried again for the next session.
      await release();
      throw thrown;
    }
  }

  return {
    hold,
    async find(directory) {
      const known = [...entries].find(({ place }) => directory === undefined || place.directory === directory);
      if (known) return hold(known.place);
      const { workspace } = await hold({ directory: directory ?? process.cwd(), servers: [] });
      return { workspace, release: () => Promise.resolve() };
    },
    async close() {
      const left = [...entries];
      entries.clear();
      const opened = await Promise.allSettled(left.map(({ opening }) => opening));
      await Promise.all(opened.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
    },
  };
}

import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";

/** Holds the agent as it is open for a folder, with the servers that an editor has handed over for it. */
export interface Workspace {
  duet: Duet;
  config: Config;
  directory: string;
}

import type { RemoteTool } from "../lists/listing.ts";

/** What was seen of a server and approved, as it is kept from one start to the next (trust on first use). */
export interface ServerPins {
  /** Which program or address these pins are of: a digest of its command and arguments, or of its URL. */
  origin: string;
  /** Which protocol it spoke last, so that nobody has to ask again. */
  era?: "legacy" | "modern";
  /** The approved tools, in the server's order; also what a lazy server offers before it has started. */
  tools: RemoteTool[];
  /** The names of those whose definition a person has read and approved; the others were trusted at first use. */
  approved?: string[];
}

/** A tool that may not be used until somebody approves it. */
export interface WaitingTool {
  /** `trusted`: it may be used, but nobody has approved it so far. */
  kind: "changed" | "new" | "trusted";
  tool: RemoteTool;
  /** What was approved before; absent where it is new. */
  pinned?: RemoteTool;
}

/** What pins say of a list of tools. */
export interface PinCheck {
  /** In the order of the server's list. */
  usable: RemoteTool[];
  waiting: WaitingTool[];
  /** The pins from now on; the same object where nothing is to be kept anew. */
  pins: ServerPins;
}

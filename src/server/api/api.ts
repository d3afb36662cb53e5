import type { Route } from "../http/routes.ts";
import type { RunRoom } from "../runs/room.ts";

/** The agent API of the contract's section 7: its routes by path. */
export function createApi(_room: RunRoom): Readonly<Record<string, Route>> {
  return {};
}

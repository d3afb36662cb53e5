import type { StoreStatus } from "../../app/conversations/store-monitor.ts";
import type { Level } from "../../app/telemetry/instruments.ts";

/** Holds what goes on in a server now. */
export interface ServerState {
  runs: number;
  streams: number;
  readStore(): StoreStatus;
}

const storeStates: readonly StoreStatus["state"][] = ["ok", "memory", "failing"];

/** Lists what the operator must know of a server and of its store of conversations. */
export function createServerLevels(state: ServerState): Level[] {
  const { readStore } = state;
  return [
    { name: "duet.runs_active", description: "Runs in progress.", read: () => state.runs },
    { name: "duet.http.streams_open", description: "Open event streams.", read: () => state.streams },
    {
      name: "duet.store.state",
      description: "1 for the state of the store of conversations: ok, memory (kept until the process ends), failing.",
      read: () => storeStates.map((each) => [readStore().state === each ? 1 : 0, { state: each }] as const),
    },
    {
      name: "duet.store.unsaved_runs",
      description: "Runs that wait to be saved.",
      read: () => readStore().waiting,
    },
    {
      name: "duet.store.failures",
      description: "Failed uses of the store, by kind.",
      isTotal: true,
      read: () => [...readStore().failures].map(([kind, count]) => [count, { kind }] as const),
    },
    {
      name: "duet.store.saved_late",
      description: "Runs that were saved some time after their end.",
      isTotal: true,
      read: () => readStore().savedLate,
    },
    {
      name: "duet.store.lost_runs",
      description: "Runs that could not be saved and are given up.",
      isTotal: true,
      read: () => readStore().lost,
    },
  ];
}

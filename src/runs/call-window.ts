/**
 * Maps known hosts to how long a call may last before it returns `running`, in seconds. The values come from the limits that the
 * hosts document: a host that counts progress as a sign of life may wait for the whole run.
 */
const knownWindows: Readonly<Record<string, number>> = {
  // MCP_TOOL_TIMEOUT is about 28 hours, and each progress notification starts its idle clock anew.
  "claude-code": 3600,
};

/** The official SDKs and most hosts give up a call after 60 seconds, so this stays below that. */
const usualWindow = 50;

export interface WindowSettings {
  window?: number | undefined;
  windows: Readonly<Record<string, number>>;
}

/**
 * Returns how long a call from this host may last before it returns `running`, in milliseconds. The host is known by the name
 * that it reports.
 */
export function getWindowMs(hostName: string, { window, windows }: WindowSettings): number {
  const known = Object.hasOwn(knownWindows, hostName) ? knownWindows[hostName] : undefined;
  const set = Object.hasOwn(windows, hostName) ? windows[hostName] : window;
  return (set ?? known ?? usualWindow) * 1000;
}

/**
 * How long a call of a known host may last before it returns `running`, in seconds. From what the hosts say of their own
 * limits: a host that counts progress as a sign of life may wait for the whole run.
 */
const knownWindows: Readonly<Record<string, number>> = {
  // MCP_TOOL_TIMEOUT is about 28 hours, and each progress notification starts its idle clock anew.
  "claude-code": 3600,
};

/** Under the 60 seconds after which the official SDKs and most hosts give a call up. */
const usualWindow = 50;

export interface WindowSettings {
  window?: number | undefined;
  windows: Readonly<Record<string, number>>;
}

/** How long a call may last for this host (as it names itself) before it returns `running`, in milliseconds. */
export function getWindowMs(hostName: string, { window, windows }: WindowSettings): number {
  const known = Object.hasOwn(knownWindows, hostName) ? knownWindows[hostName] : undefined;
  const set = Object.hasOwn(windows, hostName) ? windows[hostName] : window;
  return (set ?? known ?? usualWindow) * 1000;
}

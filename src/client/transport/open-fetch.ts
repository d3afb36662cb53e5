import type { OpenFetch } from "./own-connections.ts";

/**
 * `fetch` for long calls: silence is limited by who calls, where the built-in one gives up on a server that thinks for five
 * minutes. Its package is loaded at the first request.
 */
export function openFetch(): OpenFetch {
  let opened: Promise<OpenFetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= import("./own-connections.ts").then(({ createOwnConnections }) => createOwnConnections());
      return (await opened).fetch(url, init);
    },
    async close() {
      await opened?.then(({ close }) => close()).catch(() => {});
    },
  };
}

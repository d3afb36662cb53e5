import type { Flags } from "../config/settings/settings.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { sleep } from "../kit/async/timeout.ts";
import { say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { writeLine } from "./console.ts";
import type { DuetContext } from "./with-duet.ts";

/** Watching begins with a delay because nothing waits for it at startup; a change made before that is still noticed. */
const startAfterMs = 1000;

/** Collects lines that arrive while something else is on the screen. */
export interface SideOutput {
  /** Passes them to whoever knows what is on the screen; until then they go to stderr. */
  showBy(show: (line: string) => void): void;
}

export interface FollowConfigOptions extends DuetContext {
  flags: Flags;
  /** Runs after a new set of servers is in force. */
  onServers?: () => void;
}

/** Does work that lasts, and meanwhile takes the servers of a configuration that changes. */
export async function followConfig<T>(
  options: FollowConfigOptions,
  work: (asides: SideOutput) => Promise<T>,
): Promise<T> {
  const { console, config } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let show = (line: string): void => writeLine(console, line);
  const warn = (line: Text): void => show(sanitizeLine(say(config.locale, line)));
  void ignoreRejection(
    follow({ ...options, signal }, warn),
    "it ends with the command, and warns of what goes wrong by itself",
  );
  try {
    return await work({
      showBy(own) {
        show = own;
      },
    });
  } finally {
    over.abort();
  }
}

/** Rejects when the signal aborts before it has begun. */
async function follow(
  { duet, config, flags, onServers, signal }: FollowConfigOptions,
  warn: (line: Text) => void,
): Promise<void> {
  await sleep(startAfterMs, signal);
  const { watchConfig } = await import("../app/watch-config.ts");
  watchConfig({
    config,
    flags,
    async onServers(servers) {
      await duet.servers.configure(servers);
      onServers?.();
    },
    warn,
    signal,
  });
}

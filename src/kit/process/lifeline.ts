import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";

/** Ends the process groups it holds when we die without a goodbye, even by SIGKILL. POSIX only. */
export interface Lifeline {
  /** Starts the watcher. Call this before a group is started, which would outlive us if we died before the watcher runs. */
  watch(): void;
  hold(group: number): void;
  /** Call this when the group has ended by itself, because its id may soon be reused. */
  release(group: number): void;
  /** Ends every group that is still held within so many milliseconds: SIGTERM after two fifths of them, SIGKILL after four. */
  endWithin(ms: number): void;
  /** Ends the watcher, and the groups that are still held. */
  close(): void;
}

/**
 * One small shell outside the groups reads their numbers from a pipe that only we hold; those that it takes over are its
 * arguments, so that it knows them however early we die. When the pipe closes, it ends what is left: SIGTERM, and SIGKILL a
 * second later. It ignores the signals of our terminal so that it outlives us.
 */
const watcherScript = `
trap '' INT TERM HUP QUIT
groups="$*"
while read -r verb group; do
  case $verb in
    hold) groups="$groups $group" ;;
    release)
      rest=
      for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
      groups=$rest ;;
  esac
done
[ -n "$groups" ] || exit 0
for each in $groups; do kill -s TERM -- "-$each"; done
sleep 1
for each in $groups; do kill -s KILL -- "-$each"; done
`;

/** Is how long a watcher has to live for another one to take its place, in milliseconds. */
const shortestLifeMs = 200;

/** Returns true when the group had a process that we may signal. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

export function createLifeline(path: string | undefined): Lifeline {
  const groups = new Set<number>();
  let watcher: ChildProcess | undefined;

  function startWatcher(): ChildProcess {
    const child = spawn("/bin/sh", ["-c", watcherScript, "sh", ...[...groups].map(String)], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/",
      // It needs `sleep`, whatever PATH we were given.
      env: { PATH: [path, "/usr/bin:/bin"].filter(Boolean).join(":") },
    });
    const began = performance.now();
    const replace = (): void => {
      if (watcher !== child) return;
      // Somebody has ended it. One that ends at once would end again.
      watcher = groups.size > 0 && performance.now() - began > shortestLifeMs ? startWatcher() : undefined;
    };
    // Without a shell the servers still work and still end with an orderly close.
    child.on("error", replace);
    child.on("exit", replace);
    child.stdin?.on("error", () => {});
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  }

  return {
    watch() {
      watcher ??= startWatcher();
    },
    hold(group) {
      watcher ??= startWatcher();
      groups.add(group);
      watcher.stdin?.write(`hold ${group}\n`);
    },
    release(group) {
      if (groups.delete(group)) watcher?.stdin?.write(`release ${group}\n`);
    },
    endWithin(ms) {
      const signalAll = (signal: NodeJS.Signals): void => {
        for (const group of groups) signalGroup(group, signal);
      };
      setTimeout(signalAll, 0.4 * ms, "SIGTERM").unref();
      setTimeout(signalAll, 0.8 * ms, "SIGKILL").unref();
    },
    close() {
      watcher?.stdin?.end();
      watcher = undefined;
    },
  };
}
